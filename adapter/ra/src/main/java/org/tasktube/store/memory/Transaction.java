package org.tasktube.store.memory;

import java.util.LinkedHashSet;
import java.util.Set;

/** What one transaction has changed and not ended. */
final class Transaction {

    private final Set<Slot> slots = new LinkedHashSet<>();
    private boolean ended;

    Set<Slot> slots() {
        return slots;
    }

    /** Everybody sees what it changed. Cannot fail: what it needs was reserved. */
    void commit() {
        end(true);
    }

    /** Nobody ever sees it; nothing after a commit. */
    void rollback() {
        end(false);
    }

    private void end(boolean commit) {
        if (ended) {
            return;
        }
        ended = true;
        for (Slot slot : slots) {
            slot.tube.unindex(slot);
            if (commit) {
                slot.committed = slot.pending;
            }
            slot.pending = null;
            slot.owner = null;
            slot.tube.index(slot);
        }
    }
}
