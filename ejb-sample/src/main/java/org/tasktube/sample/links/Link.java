package org.tasktube.sample.links;

/**
 * A link as it stands on a page.
 *
 * @param url an {@link Address} as text; what was written there if it is {@link LinkKind#NO_ADDRESS}
 * @param fragment the anchor on the target page, decoded, or empty
 */
public record Link(LinkKind kind, String url, String fragment) {

    /** The link in one line, which {@link #parse} reads. */
    public String line() {
        return kind.letter() + url + (fragment.isEmpty() ? "" : "#" + fragment);
    }

    public static Link parse(String line) {
        LinkKind kind = LinkKind.of(line.charAt(0));
        int hash = kind == LinkKind.NO_ADDRESS ? -1 : line.indexOf('#');
        return hash < 0
                ? new Link(kind, line.substring(1), "")
                : new Link(kind, line.substring(1, hash), line.substring(hash + 1));
    }
}
