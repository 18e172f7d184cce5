package org.tasktube.sample.links;

import java.util.Set;

/** The targets of fragments on a page. */
public final class Anchors {

    /** The mark of a fragment that names text of the page, not an anchor. */
    private static final String TEXT_DIRECTIVE = ":~:";

    private Anchors() {}

    /** Returns whether a page has the anchor. Every page has an empty fragment and {@code top}. */
    public static boolean contains(Set<String> anchors, String fragment) {
        return fragment.isEmpty()
                || fragment.equalsIgnoreCase("top")
                || fragment.contains(TEXT_DIRECTIVE)
                || anchors.contains(fragment);
    }
}
