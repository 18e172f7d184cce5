package org.tasktube.store;

/** Thrown if the database cannot be reached, is not one that TaskTube can use, or refuses writes. */
public final class StoreUnavailableException extends Exception {

    private static final long serialVersionUID = 1;

    public StoreUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }

    public StoreUnavailableException(String message) {
        super(message);
    }
}
