package org.tasktube.store;

import java.util.Collection;
import java.util.Set;

/** Keeps the tasks of temporary tubes. No other server has them. */
public interface TemporaryTaskStore extends TaskStore {

    /**
     * Waits until no other transaction is changing a task of a tube, as its drop requires. Changes nothing.
     *
     * @throws org.tasktube.StoreException if such a transaction does not end in time
     */
    void awaitIdle(StoredTube tube);

    /**
     * Removes the tasks of a dropped tube, and accepts no more tasks for it. Part of the caller's transaction. If
     * another transaction has begun to change tasks since {@link #awaitIdle}, these are removed too.
     */
    void drop(StoredTube tube);

    /**
     * Returns the tubes that were registered when their tasks were committed. If a later read of the registry does not
     * find one of them, a server has dropped it.
     */
    Set<Integer> tubes();

    /**
     * Removes the tasks of tubes that another server has dropped, and accepts no more tasks for them. Never part of the
     * caller's transaction.
     */
    void forget(Collection<Integer> tubes);
}
