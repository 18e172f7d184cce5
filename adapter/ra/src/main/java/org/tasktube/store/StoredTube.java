package org.tasktube.store;

import org.tasktube.TubeDefinition;

/**
 * A tube in the store. Its id is never used again, so that an outdated id finds nothing.
 *
 * @param subQueues true if its tasks may be in sub-queues
 * @param mode its mode when it was read
 * @param changes the number of changes of its defaults since its creation
 * @param index the index of its searchable fields
 */
public record StoredTube(
        int id, TubeDefinition definition, boolean subQueues, ModeSetting mode, int changes, FieldIndex index) {

    /** Returns a tube whose mode was not read. */
    public StoredTube(int id, TubeDefinition definition, boolean subQueues) {
        this(id, definition, subQueues, ModeSetting.UNREAD, 0, FieldIndex.NONE);
    }

    public String name() {
        return definition.name();
    }

    public boolean hasCapacity() {
        return definition.capacity().isPresent();
    }

    /** Returns whether its takes have a limit. */
    public boolean isLimited() {
        return definition.takeLimits().isLimited();
    }

    /** Returns whether the history of its tasks has a move. */
    public boolean keeps(Transition transition, boolean hasFailure) {
        return transition.isKept(definition.history(), hasFailure);
    }

    /**
     * Returns whether this tube is the one that a definition describes. The defaults of a changed tube may differ from
     * it: an application must not fail at its next start because of them.
     */
    public boolean fits(TubeDefinition wanted) {
        TubeDefinition now = definition;
        return changes == 0
                ? now.equals(wanted)
                : now.type().equals(wanted.type())
                        && now.capacity().equals(wanted.capacity())
                        && now.temporary() == wanted.temporary();
    }
}
