package org.tasktube.store;

/** Keeps the tasks of temporary tubes, which nobody else has. */
public interface TemporaryTaskStore extends TaskStore {

    /** Removes the tasks of a tube that is dropped, and takes no more for it; part of the caller's transaction. */
    void drop(StoredTube tube);
}
