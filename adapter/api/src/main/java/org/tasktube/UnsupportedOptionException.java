package org.tasktube;

/** The tube's type does not know an option; nothing is ignored. */
public final class UnsupportedOptionException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public UnsupportedOptionException(String tube, String type, String option) {
        super("tube '" + tube + "' is of type " + type + ", which has no " + option);
    }
}
