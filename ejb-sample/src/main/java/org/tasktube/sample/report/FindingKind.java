package org.tasktube.sample.report;

import org.tasktube.sample.links.LinkKind;

/** The possible faults of a link, in the order of the report. */
public enum FindingKind {
    MISSING_IMAGE("Missing images"),
    BROKEN_LINK("Broken links"),
    MISSING_FILE("Missing scripts, style sheets and other files"),
    NO_ADDRESS("Links that are no addresses"),
    MISSING_ANCHOR("Links to anchors that are not on the page"),
    MOVED("Links to what has moved");

    private final String heading;

    FindingKind(String heading) {
        this.heading = heading;
    }

    public String heading() {
        return heading;
    }

    /** Returns the fault of a link whose target does not exist. */
    static FindingKind missing(LinkKind kind) {
        return switch (kind) {
            case PAGE -> BROKEN_LINK;
            case IMAGE -> MISSING_IMAGE;
            case STYLE, FILE -> MISSING_FILE;
            case NO_ADDRESS -> NO_ADDRESS;
        };
    }
}
