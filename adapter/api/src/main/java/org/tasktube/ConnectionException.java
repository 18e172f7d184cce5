package org.tasktube;

/** The container had no connection to give, for instance because its pool is used up. */
public final class ConnectionException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public ConnectionException(String message, Throwable cause) {
        super(message, cause);
    }
}
