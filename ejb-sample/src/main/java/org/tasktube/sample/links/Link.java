package org.tasktube.sample.links;

/**
 * A link as it is written on a page.
 *
 * @param url an {@link Address} as text; for {@link LinkKind#NO_ADDRESS} the written text
 * @param fragment the anchor on the target page, decoded; empty for none
 */
public record Link(LinkKind kind, String url, String fragment) {

    /** Returns the link as one line, which {@link #parse} reads. */
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
