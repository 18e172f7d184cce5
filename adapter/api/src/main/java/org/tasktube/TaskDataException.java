package org.tasktube;

/** The data of a task does not map to or from the requested type. */
public final class TaskDataException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    TaskDataException(String message, Throwable cause) {
        super(message, cause);
    }
}
