package org.tasktube;

/**
 * An error between an application and its tubes. Each message names the fault, the task or tube, and the next step. The
 * failed call has changed nothing. Wrong arguments are {@link IllegalArgumentException}s. Calls on closed objects fail
 * with {@link IllegalStateException}s.
 */
public abstract sealed class TaskTubeException extends RuntimeException
        permits AdapterNotRunningException,
                ConnectionException,
                DataTooLargeException,
                OperationNotFoundException,
                OperationRefusedException,
                ScheduleNotFoundException,
                SessionExpiredException,
                SessionOwnerException,
                StoreException,
                TaskDataException,
                TaskExistsException,
                TaskNotFoundException,
                TaskNotTakenException,
                TaskTakenByAnotherException,
                TransactionNotActiveException,
                TubeDrainingException,
                TubeExistsException,
                TubeFullException,
                TubeInUseException,
                TubeNotFoundException,
                UnsupportedOptionException,
                WrongStateException {

    private static final long serialVersionUID = 1;

    TaskTubeException(String message, Throwable cause) {
        super(message, cause);
    }

    TaskTubeException(String message) {
        super(message);
    }
}
