package org.tasktube;

/** No tube has that name. */
public final class TubeNotFoundException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final String tube;

    public TubeNotFoundException(String tube) {
        super("tube '" + tube + "' does not exist; create it first");
        this.tube = tube;
    }

    /** Returns the requested name. */
    public String tube() {
        return tube;
    }
}
