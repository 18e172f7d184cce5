package org.tasktube;

/** The tube's type does not have an option. TaskTube refuses such an option rather than ignore it. */
public final class UnsupportedOptionException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public UnsupportedOptionException(String tube, String type, String option) {
        super("tube '" + tube + "' is of type " + type + ", which has no " + option
                + "; leave the option out, or create the tube with a type that has it");
    }
}
