package org.tasktube;

/** An act on many tasks cannot start, or cannot be cancelled. The message has the reason. */
public final class OperationRefusedException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public OperationRefusedException(String message) {
        super(message);
    }
}
