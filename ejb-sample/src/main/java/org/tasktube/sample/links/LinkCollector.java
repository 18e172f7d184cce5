package org.tasktube.sample.links;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Collects the links of one page from its references, each distinct link once. */
final class LinkCollector {

    /** A reference with a scheme that is not fetched, such as mailto:, javascript: or data:. */
    private static final Pattern OTHER_SCHEME = Pattern.compile("(?i)(?!https?:)[a-z][a-z0-9+.-]*:.*", Pattern.DOTALL);

    private static final Pattern LINE_END = Pattern.compile("[\\r\\n]+");

    /** The longest part of a text without an address that is worth showing. */
    private static final int MAX_SHOWN = 200;

    private final String page;
    private final Address base;
    private final Set<Link> links = new LinkedHashSet<>();

    LinkCollector(Address page, Address base) {
        this.page = page.toString();
        this.base = base;
    }

    void add(LinkKind kind, String reference) {
        String text = reference.strip();
        if (OTHER_SCHEME.matcher(text).matches()) {
            return;
        }
        int hash = text.indexOf('#');
        Optional<String> url = resolve(hash < 0 ? text : text.substring(0, hash));
        String fragment = hash < 0 ? "" : oneLine(PercentCode.decode(text.substring(hash + 1)));
        links.add(url.map(found -> new Link(kind, found, fragment))
                .orElseGet(() -> new Link(LinkKind.NO_ADDRESS, shown(text), "")));
    }

    /** Returns all links, except working links to the page itself. */
    List<Link> found(Set<String> anchors) {
        return links.stream()
                .filter(link -> !link.url().equals(page) || !Anchors.contains(anchors, link.fragment()))
                .toList();
    }

    private Optional<String> resolve(String reference) {
        return base.resolve(reference).map(Address::toString).filter(url -> url.length() <= Address.MAX_LENGTH);
    }

    private static String shown(String text) {
        String line = oneLine(text);
        return line.substring(0, Math.min(line.length(), MAX_SHOWN));
    }

    private static String oneLine(String text) {
        return LINE_END.matcher(text).replaceAll(" ");
    }
}
