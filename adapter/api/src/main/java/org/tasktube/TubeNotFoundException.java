package org.tasktube;

/** There is no tube of that name. */
public final class TubeNotFoundException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final String tube;

    public TubeNotFoundException(String tube) {
        super("there is no tube '" + tube + "'; create it first");
        this.tube = tube;
    }

    /** The name that was asked for. */
    public String tube() {
        return tube;
    }
}
