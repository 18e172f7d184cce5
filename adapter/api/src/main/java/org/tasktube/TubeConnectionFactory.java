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
}
