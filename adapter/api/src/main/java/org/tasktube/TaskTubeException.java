package org.tasktube;

/**
 * What can go wrong between an application and its tubes. Each message names what was wrong, with which task or tube,
 * and what can be done. Nothing was changed when one is thrown. Bad arguments are {@link IllegalArgumentException}s, the
 * use of what is closed {@link IllegalStateException}s.
 */
public abstract sealed class TaskTubeException extends RuntimeException
        permits AdapterNotRunningException,
                ConnectionException,
                DataTooLargeException,
                SessionExpiredException,
                StoreException,
                TaskDataException,
                TaskExistsException,
                TaskNotFoundException,
                TaskNotTakenException,
                TaskTakenByAnotherException,
                TransactionNotActiveException,
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
