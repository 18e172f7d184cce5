package org.tasktube;

import java.time.Instant;

/** The tube is {@link TubeMode#DRAINING}, so it accepts no puts. */
public final class TubeDrainingException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final String by;
    private final Instant since;
    private final String reason;

    public TubeDrainingException(String tube, String by, Instant since, String reason) {
        super("tube '" + tube + "' accepts no puts: " + by + " has drained it since " + since + " (" + reason
                + "); put the task into another tube, or put it again when the tube is resumed");
        this.by = by;
        this.since = since;
        this.reason = reason;
    }

    /** Returns the user or the server that called drain. */
    public String by() {
        return by;
    }

    /** Returns the time of the drain, by the database's clock. */
    public Instant since() {
        return since;
    }

    /** Returns the reason that drain was given. */
    public String reason() {
        return reason;
    }
}
