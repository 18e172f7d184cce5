package org.tasktube;

/** The container gave no connection, for instance because all connections of its pool are in use. */
public final class ConnectionException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public ConnectionException(String message, Throwable cause) {
        super(message, cause);
    }
}
