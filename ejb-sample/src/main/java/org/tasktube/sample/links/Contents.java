package org.tasktube.sample.links;

import java.util.List;
import java.util.Set;

/**
 * What a page or style sheet has that matters here.
 *
 * @param links each different one once, in the order of the page. Links to an anchor of the page itself only if it has
 *     no such anchor
 * @param anchors what a fragment can lead to
 */
public record Contents(String title, List<Link> links, Set<String> anchors) {

    /** The contents of what is neither HTML nor a style sheet. */
    public static final Contents NONE = new Contents("", List.of(), Set.of());

    /** The contents of what has one link and nothing else, such as a redirect. */
    public static Contents of(Address page, LinkKind kind, String reference) {
        LinkCollector links = new LinkCollector(page, page);
        links.add(kind, reference);
        return new Contents("", links.found(Set.of()), Set.of());
    }
}
