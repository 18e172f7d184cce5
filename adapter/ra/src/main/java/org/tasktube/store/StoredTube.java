package org.tasktube.store;

import org.tasktube.TubeDefinition;

/** A tube that exists. Its id is never used again, so that a stale one finds nothing. */
public record StoredTube(int id, TubeDefinition definition) {

    public String name() {
        return definition.name();
    }
}
