package org.tasktube.store;

import java.util.Collection;
import java.util.Set;

/** Keeps the tasks of temporary tubes, which nobody else has. */
public interface TemporaryTaskStore extends TaskStore {

    /**
     * Waits until no other transaction is changing a task of a tube, as its drop must; changes nothing.
     *
     * @throws org.tasktube.StoreException if such a transaction has not ended in time
     */
    void awaitIdle(StoredTube tube);

    /**
     * Removes the tasks of a tube that is dropped, and takes no more for it; part of the caller's transaction. What another
     * transaction has begun to change since {@link #awaitIdle} is removed with the rest.
     */
    void drop(StoredTube tube);

    /**
     * Returns the tubes that were registered when their tasks were committed. Those of them that the registry does not have
     * when it is asked afterwards were dropped, by whatever server.
     */
    Set<Integer> tubes();

    /** Removes all that tubes have that another server has dropped, and takes no more for them. Never part of a transaction. */
    void forget(Collection<Integer> tubes);
}
