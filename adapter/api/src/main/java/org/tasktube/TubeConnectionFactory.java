package org.tasktube;

import jakarta.resource.Referenceable;
import java.io.Serializable;

/** Where connections come from; look it up or have it injected, by default as {@code java:/TaskTube}. */
public interface TubeConnectionFactory extends Serializable, Referenceable {

    /**
     * A connection with a session of its own. The adapter gives one in every state; to wait until it is at work, call {@link
     * TubeConnection#awaitRunning}.
     *
     * @throws ConnectionException if the pool has none to give
     */
    TubeConnection getConnection();
}
