package org.tasktube.store;

import java.time.Instant;
import org.tasktube.TubeDrainingException;
import org.tasktube.TubeMode;

/**
 * The mode of a tube, and its last change.
 *
 * @param by the user or the server that set the mode; empty if the tube has been OPEN since its creation
 * @param since the time of the change, by the database's clock. Each change of a tube has a later one
 * @param reason the reason of the pause or drain; empty if OPEN
 */
public record ModeSetting(TubeMode mode, String by, Instant since, String reason) {

    /** The setting of a tube whose row was not read yet. */
    public static final ModeSetting UNREAD = new ModeSetting(TubeMode.OPEN, "", Instant.EPOCH, "");

    public boolean isPaused() {
        return mode == TubeMode.PAUSED;
    }

    public boolean isDraining() {
        return mode == TubeMode.DRAINING;
    }

    /** Returns the error of a put into a tube that is DRAINING. */
    public TubeDrainingException refusal(String tube) {
        return new TubeDrainingException(tube, by, since, reason);
    }
}
