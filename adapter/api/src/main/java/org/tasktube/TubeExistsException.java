package org.tasktube;

/** A tube of that name exists already, or exists with another definition. */
public final class TubeExistsException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public TubeExistsException(String message) {
        super(message);
    }
}
