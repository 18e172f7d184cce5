package org.tasktube;

/** The database refused; the cause says why. */
public final class StoreException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public StoreException(String message, Throwable cause) {
        super(message, cause);
    }

    public StoreException(String message) {
        super(message);
    }
}
