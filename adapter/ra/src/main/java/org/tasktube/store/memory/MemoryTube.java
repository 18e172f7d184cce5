package org.tasktube.store.memory;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tasktube.TaskState;
import org.tasktube.store.Place;
import org.tasktube.store.StoredTube;

/**
 * The tasks of one tube and their indexes, which are by committed versions; what an open transaction has changed it finds
 * among its own slots.
 */
final class MemoryTube {

    private final MemoryTaskStore store;
    private final StoredTube tube;
    private final InstantSource clock;
    private final TreeMap<Long, Slot> slots = new TreeMap<>();
    private final Map<TaskState, TreeSet<Slot>> byState = new EnumMap<>(TaskState.class);
    private final TreeSet<Slot> claimable = new TreeSet<>(Slot.BY_PLACE);
    private final Map<String, SubQueue> subQueues = new HashMap<>();
    private final Map<String, List<Slot>> byKey = new HashMap<>();

    MemoryTube(MemoryTaskStore store, StoredTube tube, InstantSource clock) {
        this.store = store;
        this.tube = tube;
        this.clock = clock;
        for (TaskState state : TaskState.values()) {
            byState.put(state, new TreeSet<>(Slot.BY_PLACE));
        }
    }

    StoredTube stored() {
        return tube;
    }

    String name() {
        return tube.name();
    }

    NavigableMap<Long, Slot> slots() {
        return slots;
    }

    NavigableSet<Slot> inState(TaskState state) {
        return byState.get(state);
    }

    List<Slot> withKey(String key) {
        return byKey.getOrDefault(key, List.of());
    }

    Optional<Slot> find(long id) {
        return Optional.ofNullable(slots.get(id));
    }

    /** Takes a slot that is about to change, or was, out of the indexes. */
    void unindex(Slot slot) {
        store.reserve(slot, 0);
        Row row = slot.committed;
        if (row != null) {
            byState.get(row.state).remove(slot);
            if (row.event != null) {
                store.events().remove(slot);
            }
        }
        keys(slot, false);
        leaveOrder(slot);
    }

    /** Puts a slot into the indexes, or forgets it if it has no version left. */
    void index(Slot slot) {
        if (slot.committed == null && slot.owner == null) {
            slots.remove(slot.id);
            refresh(slot.utubes());
            return;
        }
        slots.put(slot.id, slot);
        store.reserve(slot, slot.needed());
        Row row = slot.committed;
        if (row != null) {
            byState.get(row.state).add(slot);
            if (row.event != null && slot.owner == null) {
                store.events().add(slot);
            }
        }
        keys(slot, true);
        enterOrder(slot);
    }

    private void keys(Slot slot, boolean add) {
        for (String key : slot.keys()) {
            List<Slot> there = byKey.computeIfAbsent(key, k -> new ArrayList<>(1));
            there.remove(slot);
            if (add) {
                there.add(slot);
            } else if (there.isEmpty()) {
                byKey.remove(key);
            }
        }
    }

    private void leaveOrder(Slot slot) {
        if (slot.committed != null) {
            claimable.remove(slot);
        }
        for (String utube : slot.utubes()) {
            SubQueue lane = subQueues.computeIfAbsent(utube, name -> new SubQueue());
            lane.taken(-slot.takenIn(utube));
            if (slot.isReadyIn(utube)) {
                lane.remove(slot);
            }
            if (lane.head() == slot) {
                lane.head(null);
            }
        }
    }

    private void enterOrder(Slot slot) {
        Row row = slot.committed;
        if (row != null && row.state == TaskState.READY && row.utube == null && slot.owner == null) {
            claimable.add(slot);
        }
        for (String utube : slot.utubes()) {
            SubQueue lane = subQueues.computeIfAbsent(utube, name -> new SubQueue());
            lane.taken(slot.takenIn(utube));
            if (slot.isReadyIn(utube)) {
                lane.add(slot);
            }
        }
        refresh(slot.utubes());
    }

    private void refresh(Iterable<String> utubes) {
        Instant now = clock.instant();
        for (String utube : utubes) {
            refresh(utube, now);
        }
    }

    private void refresh(String utube, Instant now) {
        SubQueue lane = subQueues.get(utube);
        if (lane == null) {
            return;
        }
        if (lane.head() != null) {
            claimable.remove(lane.head());
            lane.head(null);
        }
        lane.next(now).ifPresent(next -> {
            lane.head(next);
            claimable.add(next);
        });
        if (lane.isEmpty()) {
            subQueues.remove(utube);
        }
    }

    /** What can be taken by anybody now, in order. Heads whose time is over make way for the next of their sub-queue. */
    List<Slot> claimable(Place after, int max, Instant now) {
        List<Slot> found = new ArrayList<>();
        List<String> over = new ArrayList<>();
        for (Slot slot : claimable) {
            if (found.size() == max) {
                break;
            }
            if (slot.committed.isOver(now)) {
                if (slot.committed.utube != null) {
                    over.add(slot.committed.utube);
                }
            } else if (slot.committed.place.compareTo(after) > 0) {
                found.add(slot);
            }
        }
        if (over.isEmpty()) {
            return found;
        }
        over.forEach(utube -> refresh(utube, now));
        return claimable(after, max, now);
    }
}
