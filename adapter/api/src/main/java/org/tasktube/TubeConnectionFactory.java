package org.tasktube;

import jakarta.resource.Referenceable;
import java.io.Serializable;

/** Where connections come from; look it up or have it injected, by default as {@code java:/TaskTube}. */
public interface TubeConnectionFactory extends Serializable, Referenceable {

    /**
     * A connection with a session of its own.
     *
     * @throws ConnectionException if the pool has none to give
     */
    TubeConnection getConnection();
}
