package org.tasktube;

/** The tube cannot be dropped while tasks are TAKEN or consumers wait. */
public final class TubeInUseException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public TubeInUseException(String message) {
        super(message);
    }
}
