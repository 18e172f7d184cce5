package org.tasktube.node;

import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.sql.OpenStore;

/** Opens the store of a server's tubes. */
@FunctionalInterface
public interface StoreOpener {

    /**
     * Opens the store.
     *
     * @param onFailure runs after each later failure that may mean the database's end
     * @throws StoreUnavailableException if the database is unavailable
     */
    OpenStore open(Runnable onFailure) throws StoreUnavailableException;

    /**
     * Closes the idle connections of the pool from which the store has its own. Does nothing where a pool notices by
     * itself that its connections were lost.
     *
     * @throws RuntimeException if the server has refused it
     */
    default void flushPool() {}
}
