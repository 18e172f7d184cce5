package org.tasktube;

/** A tube has as many tasks as it can hold. */
public final class TubeFullException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public TubeFullException(String tube, String limit) {
        super("tube '" + tube + "' is full: " + limit
                + "; put with a timeout to wait for a place, or put again when tasks were worked off");
    }
}
