package org.tasktube;

/** A tube of that name exists, or exists otherwise defined. */
public final class TubeExistsException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public TubeExistsException(String message) {
        super(message);
    }
}
