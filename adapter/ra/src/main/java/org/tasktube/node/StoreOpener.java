package org.tasktube.node;

import org.tasktube.store.OpenStore;
import org.tasktube.store.StoreUnavailableException;

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
}
