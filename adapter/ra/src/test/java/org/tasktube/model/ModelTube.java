package org.tasktube.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;

/**
 * The tasks of a tube as the contract has it: what was committed, and what each open transaction has made of it, null
 * for removed. What a transaction has changed is locked until its end.
 */
final class ModelTube {

    private static final Comparator<Version> ORDER =
            Comparator.<Version>comparingInt(task -> task.pri).thenComparingLong(task -> task.ord);

    private final StoredTube stored;
    private final TreeMap<Integer, Version> committed = new TreeMap<>();
    private final List<Map<Integer, Version>> changed = new ArrayList<>();

    /** The unique keys that versions of each open transaction have, or had. */
    private final List<Set<String>> keys = new ArrayList<>();

    /** The slots that each open transaction requested, granted or not. */
    private final int[] requested = new int[Model.ACTORS];

    ModelTube(StoredTube stored) {
        this.stored = stored;
        for (int actor = 0; actor < Model.ACTORS; actor++) {
            changed.add(new HashMap<>());
            keys.add(new HashSet<>());
        }
    }

    StoredTube stored() {
        return stored;
    }

    // Versions

    /** What an actor sees: what was committed, and what its own transaction did. */
    NavigableMap<Integer, Version> seen(int actor) {
        NavigableMap<Integer, Version> seen = new TreeMap<>(committed);
        seen.putAll(changed.get(actor));
        seen.values().removeIf(Objects::isNull);
        return seen;
    }

    List<Integer> numbers(int actor, TaskState state) {
        NavigableMap<Integer, Version> seen = seen(actor);
        return seen.keySet().stream().filter(n -> seen.get(n).isIn(state)).toList();
    }

    /** Those in a state, in order. */
    List<Integer> inOrder(int actor, TaskState state) {
        NavigableMap<Integer, Version> seen = seen(actor);
        return numbers(actor, state).stream()
                .sorted(Comparator.comparing(seen::get, ORDER))
                .toList();
    }

    /** Whether another open transaction has changed a task. */
    boolean isLocked(int number, int actor) {
        return others(actor).anyMatch(other -> other.containsKey(number));
    }

    boolean isAnyLocked(int actor) {
        return others(actor).anyMatch(other -> other.keySet().stream().anyMatch(committed::containsKey));
    }

    boolean isKeyLocked(String key, int actor) {
        return keys.stream().anyMatch(other -> other != keys.get(actor) && other.contains(key));
    }

    static boolean hasKey(Version task, String key) {
        return task != null && key.equals(task.key);
    }

    private Stream<Map<Integer, Version>> others(int actor) {
        return changed.stream().filter(changes -> changes != changed.get(actor));
    }

    /** Null removes it. */
    void change(int number, Version version, int actor, boolean inTransaction) {
        if (inTransaction) {
            keep(keys.get(actor), seen(actor).get(number));
            keep(keys.get(actor), version);
            changed.get(actor).put(number, version);
        } else {
            commit(number, version);
        }
    }

    private static void keep(Set<String> keys, Version task) {
        if (task != null && task.key != null) {
            keys.add(task.key);
        }
    }

    private void commit(int number, Version version) {
        if (version == null) {
            committed.remove(number);
        } else {
            version.waits = false;
            committed.put(number, version);
        }
    }

    void commit(int actor) {
        changed.get(actor).forEach(this::commit);
        rollback(actor);
    }

    void rollback(int actor) {
        changed.get(actor).clear();
        keys.get(actor).clear();
        requested[actor] = 0;
    }

    // Slots

    void requestSlots(int actor, int count) {
        requested[actor] += count;
    }

    /** Whether there must be free slots: even if all open transactions keep all that they requested, and free none. */
    boolean mustFit(int count) {
        int kept = 0;
        for (int more : requested) {
            kept += more;
        }
        return committed.size() + kept + count <= capacity();
    }

    /**
     * Whether there can be free slots, however the others end: of each of these what it puts more than it removes.
     * The own transaction may use what it freed.
     */
    boolean canFit(int actor, int count) {
        long more = others(actor).mapToLong(this::growth).filter(by -> by > 0).sum();
        return seen(actor).size() + more + count <= capacity();
    }

    private long growth(Map<Integer, Version> changes) {
        long removed = changes.keySet().stream().filter(committed::containsKey).count();
        long left = changes.values().stream().filter(Objects::nonNull).count();
        return left - removed;
    }

    boolean isFull() {
        return committed.size() >= capacity();
    }

    private int capacity() {
        return stored.definition().capacity().orElse(Integer.MAX_VALUE);
    }

    // Take

    /**
     * What a claim may take, in order: one list, or several where the contract leaves open whether the next task of a
     * sub-queue is unblocked already.
     */
    Set<List<Integer>> claimable(int actor, long now, OrderKey after, int max) {
        List<String> open =
                utubes().stream().filter(utube -> isOpen(utube, now)).toList();
        Set<List<Integer>> possible = new HashSet<>();
        for (int subset = 0; subset < 1 << open.size(); subset++) {
            Set<String> blocked = new HashSet<>();
            for (int i = 0; i < open.size(); i++) {
                if ((subset & 1 << i) != 0) {
                    blocked.add(open.get(i));
                }
            }
            possible.add(claimable(actor, now, after, max, blocked));
        }
        return possible;
    }

    private List<Integer> claimable(int actor, long now, OrderKey after, int max, Set<String> blocked) {
        NavigableMap<Integer, Version> seen = seen(actor);
        List<Integer> candidates = new ArrayList<>();
        seen.forEach((number, task) -> {
            if (task.isIn(TaskState.READY) && task.utube == null && !isLocked(number, actor)) {
                candidates.add(number);
            }
        });
        for (String utube : utubes()) {
            firstOf(utube, actor, now, blocked.contains(utube), candidates);
        }
        return candidates.stream()
                .filter(number -> !seen.get(number).isOver(now))
                .filter(number -> new OrderKey(seen.get(number).pri, seen.get(number).ord, number).compareTo(after) > 0)
                .sorted(Comparator.comparing(seen::get, ORDER))
                .limit(max)
                .toList();
    }

    /** What the own transaction released, else the first of those that were committed, if none is held or changed. */
    private void firstOf(String utube, int actor, long now, boolean blocked, List<Integer> candidates) {
        List<Integer> own = changed.get(actor).entrySet().stream()
                .filter(entry -> isReadyIn(utube, entry.getValue()) && !entry.getValue().waits)
                .map(Map.Entry::getKey)
                .toList();
        candidates.addAll(own);
        if (own.isEmpty() && !blocked && !isHeld(utube)) {
            readyIn(utube).stream()
                    .filter(number -> !committed.get(number).isOver(now))
                    .findFirst()
                    .filter(number -> !isChanged(number))
                    .ifPresent(candidates::add);
        }
    }

    private Set<String> utubes() {
        Set<String> utubes = new TreeSet<>();
        all().forEach(task -> {
            if (task.utube != null) {
                utubes.add(task.utube);
            }
        });
        return utubes;
    }

    private Stream<Version> all() {
        return Stream.concat(Stream.of(committed), changed.stream())
                .map(Map::values)
                .flatMap(Collection::stream)
                .filter(Objects::nonNull);
    }

    /** Whether a task of it is taken, or was released by a transaction that may take it again. */
    private boolean isHeld(String utube) {
        return all().anyMatch(task -> task.isIn(TaskState.TAKEN) && utube.equals(task.utube))
                || changed.stream()
                        .flatMap(changes -> changes.values().stream())
                        .anyMatch(task -> isReadyIn(utube, task) && !task.waits);
    }

    private List<Integer> readyIn(String utube) {
        return committed.keySet().stream()
                .filter(number -> isReadyIn(utube, committed.get(number)))
                .sorted(Comparator.comparing(committed::get, ORDER))
                .toList();
    }

    private static boolean isReadyIn(String utube, Version task) {
        return task != null && task.isIn(TaskState.READY) && utube.equals(task.utube);
    }

    private boolean isChanged(int number) {
        return changed.stream().anyMatch(changes -> changes.containsKey(number));
    }

    /**
     * While a task of it is over and not removed, or is about to be changed by an open transaction, the next task of
     * a sub-queue may be claimable or wait for the end of that.
     */
    private boolean isOpen(String utube, long now) {
        return readyIn(utube).stream().anyMatch(number -> committed.get(number).isOver(now) || isChanged(number));
    }
}
