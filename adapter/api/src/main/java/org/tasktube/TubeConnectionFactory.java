package org.tasktube;

import jakarta.resource.Referenceable;
import java.io.Serializable;

/** The source of connections. Look it up or have it injected, by default as {@code java:/TaskTube}. */
public interface TubeConnectionFactory extends Serializable, Referenceable {

    /**
     * Returns a connection with a session of its own, in every state of the adapter. To wait until the adapter is
     * RUNNING, call {@link TubeConnection#awaitRunning}.
     *
     * @throws ConnectionException if the container's pool has no free connection
     */
    TubeConnection getConnection();

    /**
     * Puts one task by a connection that is opened and closed for it, in the caller's transaction if there is one.
     *
     * @throws ConnectionException if the container's pool has no free connection
     * @throws TubeNotFoundException if there is no tube of that name
     * @see Tube#put(Object, PutOptions)
     */
    default Task put(String tube, Object data, PutOptions options) {
        try (TubeConnection connection = getConnection()) {
            return connection.tube(tube).put(data, options);
        }
    }

    /** Puts one task with the defaults of its tube, as {@link #put(String, Object, PutOptions)} does. */
    default Task put(String tube, Object data) {
        return put(tube, data, PutOptions.defaults());
    }
}
