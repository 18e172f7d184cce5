package org.tasktube.node;

import org.tasktube.store.OpenStore;
import org.tasktube.store.StoreUnavailableException;

/** Opens the store that a server's tubes are in. */
@FunctionalInterface
public interface StoreOpener {

    /**
     * Opens the store.
     *
     * @param onFailure to be run when something fails later that may be the database's end
     * @throws StoreUnavailableException while the database is away
     */
    OpenStore open(Runnable onFailure) throws StoreUnavailableException;
}
