package org.tasktube.store;

/** A database that stands: what is registered in it, and the tasks. */
public record OpenStore(Registry registry, TaskStore tasks) implements AutoCloseable {

    @Override
    public void close() {
        tasks.close();
        registry.close();
    }
}
