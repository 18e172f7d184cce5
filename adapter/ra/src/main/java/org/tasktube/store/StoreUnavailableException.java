package org.tasktube.store;

/** The database cannot be reached, is not what it should be, or does not let itself be written to. */
public final class StoreUnavailableException extends Exception {

    private static final long serialVersionUID = 1;

    public StoreUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }

    public StoreUnavailableException(String message) {
        super(message);
    }
}
