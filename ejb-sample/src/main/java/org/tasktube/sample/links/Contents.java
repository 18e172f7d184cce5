package org.tasktube.sample.links;

import java.util.List;
import java.util.Set;

/**
 * The contents of a page or style sheet that a check needs.
 *
 * @param links each distinct link once, in the order of the page. A link to an anchor of the page itself is here only
 *     if the page has no such anchor
 * @param anchors the possible targets of fragments
 */
public record Contents(String title, List<Link> links, Set<String> anchors) {

    /** The contents of a file that is neither HTML nor a style sheet. */
    public static final Contents NONE = new Contents("", List.of(), Set.of());

    /** Returns contents of one link only, such as a redirect. */
    public static Contents of(Address page, LinkKind kind, String reference) {
        LinkCollector links = new LinkCollector(page, page);
        links.add(kind, reference);
        return new Contents("", links.found(Set.of()), Set.of());
    }
}
