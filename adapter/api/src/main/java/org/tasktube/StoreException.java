package org.tasktube;

/** The database refused a statement. The cause has the database's reason. */
public final class StoreException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final boolean databaseAway;

    public StoreException(String message, Throwable cause) {
        this(message, cause, false);
    }

    /**
     * Creates an exception.
     *
     * @param databaseAway the value of {@link #isDatabaseAway()}
     */
    public StoreException(String message, Throwable cause, boolean databaseAway) {
        super(message, cause);
        this.databaseAway = databaseAway;
    }

    public StoreException(String message) {
        super(message);
        this.databaseAway = false;
    }

    /**
     * Returns whether the database is unreachable, has shut down, has no space, or is read-only. In these cases the
     * same call may succeed later.
     */
    public boolean isDatabaseAway() {
        return databaseAway;
    }
}
