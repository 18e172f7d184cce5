package org.tasktube.store;

import org.tasktube.TubeDefinition;

/**
 * A tube in the store. Its id is never used again, so that an outdated id finds nothing.
 *
 * @param subQueues true if its tasks may be in sub-queues
 * @param mode its mode when it was read
 */
public record StoredTube(int id, TubeDefinition definition, boolean subQueues, ModeSetting mode) {

    /** Returns a tube whose mode was not read. */
    public StoredTube(int id, TubeDefinition definition, boolean subQueues) {
        this(id, definition, subQueues, ModeSetting.UNREAD);
    }

    public String name() {
        return definition.name();
    }

    public boolean hasCapacity() {
        return definition.capacity().isPresent();
    }
}
