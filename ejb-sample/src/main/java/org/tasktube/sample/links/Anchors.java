package org.tasktube.sample.links;

import java.util.Set;

/** Whether a fragment leads somewhere on a page. */
public final class Anchors {

    /** A fragment that names text of the page, not an anchor. */
    private static final String TEXT_DIRECTIVE = ":~:";

    private Anchors() {}

    /** An empty fragment and {@code top} are on every page. */
    public static boolean contains(Set<String> anchors, String fragment) {
        return fragment.isEmpty()
                || fragment.equalsIgnoreCase("top")
                || fragment.contains(TEXT_DIRECTIVE)
                || anchors.contains(fragment);
    }
}
