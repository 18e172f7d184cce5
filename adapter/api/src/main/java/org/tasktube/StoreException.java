package org.tasktube;

/** The database refused; the cause says why. */
public final class StoreException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final boolean databaseAway;

    public StoreException(String message, Throwable cause) {
        this(message, cause, false);
    }

    /** @param databaseAway what {@link #isDatabaseAway()} returns */
    public StoreException(String message, Throwable cause, boolean databaseAway) {
        super(message, cause);
        this.databaseAway = databaseAway;
    }

    public StoreException(String message) {
        super(message);
        this.databaseAway = false;
    }

    /**
     * Returns whether the database could not be reached, ended, had no room, or takes no writes. The same work may succeed
     * later.
     */
    public boolean isDatabaseAway() {
        return databaseAway;
    }
}
