package org.tasktube.store;

import java.time.Duration;
import java.util.function.BiFunction;

/**
 * A database that stands: what is registered in it, and the tasks.
 *
 * @param database its product and version, for logs
 * @param own opens the same store on a connection of its own, by how long it waits for locks and for answers
 */
public record OpenStore(
        Registry registry, TaskStore tasks, String database, BiFunction<Duration, Duration, OpenStore> own)
        implements AutoCloseable {

    /** A store that has no connections to keep. */
    public OpenStore(Registry registry, TaskStore tasks) {
        this(registry, tasks, "a store", (lockTimeout, networkTimeout) -> new OpenStore(registry, tasks));
    }

    /** The same store, whose database is told with the name of the datasource that leads to it. */
    public OpenStore at(String datasource) {
        return new OpenStore(registry, tasks, database + " at " + datasource, own);
    }

    /**
     * The same store, for one thread of the adapter's that keeps a connection for itself. Closing it closes that connection
     * only.
     */
    public OpenStore onOwnConnection(Duration lockTimeout, Duration networkTimeout) {
        return own.apply(lockTimeout, networkTimeout);
    }

    @Override
    public void close() {
        tasks.close();
        registry.close();
    }
}
