package org.tasktube.store;

import org.tasktube.TubeDefinition;

/**
 * A tube that exists. Its id is never used again, so that a stale one finds nothing.
 *
 * @param subQueues whether its tasks may be in sub-queues
 */
public record StoredTube(int id, TubeDefinition definition, boolean subQueues) {

    public String name() {
        return definition.name();
    }

    public boolean hasCapacity() {
        return definition.capacity().isPresent();
    }
}
