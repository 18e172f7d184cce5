package org.tasktube.store;

import org.tasktube.TubeDefinition;

/**
 * A tube in the store. Its id is never used again, so that an outdated id finds nothing.
 *
 * @param subQueues true if its tasks may be in sub-queues
 */
public record StoredTube(int id, TubeDefinition definition, boolean subQueues) {

    public String name() {
        return definition.name();
    }

    public boolean hasCapacity() {
        return definition.capacity().isPresent();
    }
}
