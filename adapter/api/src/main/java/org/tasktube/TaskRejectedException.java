package org.tasktube;

/**
 * Thrown by a bean that can never work on its task, for example because the data is wrong. The task is BURIED at once, with
 * this as its failure, whatever attempts are left. It may also be the cause of another exception. The bean's transaction
 * rolls back, as for each exception.
 */
public class TaskRejectedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public TaskRejectedException(String message) {
        super(message);
    }

    public TaskRejectedException(String message, Throwable cause) {
        super(message, cause);
    }
}
