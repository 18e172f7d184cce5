package org.tasktube.store.memory;

import java.time.Instant;
import java.util.Optional;
import java.util.TreeSet;

/** The tasks of one sub-queue that are READY, by what was committed, and how many are taken, committed or not. */
final class SubQueue {

    private final TreeSet<Slot> ready = new TreeSet<>(Slot.BY_PLACE);
    private int taken;

    /** The one that stands among what can be taken in the tube. */
    private Slot head;

    void add(Slot slot) {
        ready.add(slot);
    }

    void remove(Slot slot) {
        ready.remove(slot);
    }

    void taken(int more) {
        taken += more;
    }

    boolean isEmpty() {
        return ready.isEmpty() && taken == 0;
    }

    Slot head() {
        return head;
    }

    void head(Slot slot) {
        head = slot;
    }

    /** The first, if nobody holds one of these, and no open transaction is about to change it. */
    Optional<Slot> next(Instant now) {
        if (taken > 0) {
            return Optional.empty();
        }
        return ready.stream()
                .filter(slot -> !slot.committed.isOver(now))
                .findFirst()
                .filter(slot -> slot.owner == null);
    }
}
