package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.Moved;
import org.tasktube.store.NewTask;
import org.tasktube.store.Place;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TemporaryTaskStore;
import org.tasktube.store.Transactions;
import org.tasktube.store.TubeCount;

import static org.tasktube.TaskState.BURIED;
import static org.tasktube.TaskState.DELAYED;
import static org.tasktube.TaskState.DONE;
import static org.tasktube.TaskState.READY;
import static org.tasktube.TaskState.TAKEN;

/**
 * Tasks in memory, by the rules of the database: a change locks its task until its transaction ends, others see what was
 * committed, a claim passes over what is locked, and who must have a locked task waits. All of it is under {@link Locks},
 * one lock, held for microseconds.
 */
public final class MemoryTaskStore implements TemporaryTaskStore {

    private static final int SWEEP_BATCH = 500;
    private static final Duration LOCKED_RETRY = Duration.ofMillis(100);

    private final int maxTasks;
    private final long maxBytes;
    private final InstantSource clock;
    private final Locks locks;
    private final Map<Integer, MemoryTube> tubes = new HashMap<>();
    private final Set<Integer> dropped = new HashSet<>();
    private final TreeSet<Slot> events = new TreeSet<>(Slot.BY_EVENT);
    private int tasks;
    private long bytes;

    /** Begins where no earlier run of this server has got to, so that no id is used again after a restart. */
    private final AtomicLong ids;

    /**
     * @param maxTasks the most tasks of all tubes together
     * @param maxBytes the most bytes that they may take, by an estimate
     */
    public MemoryTaskStore(Transactions transactions, int maxTasks, long maxBytes, InstantSource clock) {
        this.maxTasks = maxTasks;
        this.maxBytes = maxBytes;
        this.clock = clock;
        this.locks = new Locks(transactions);
        this.ids = new AtomicLong(clock.millis() << 20);
    }

    @Override
    public void close() {
        // What is in memory goes with the adapter
    }

    // For the tubes

    NavigableSet<Slot> events() {
        return events;
    }

    void reserve(Slot slot, long needed) {
        bytes += needed - slot.reserved;
        tasks += (needed > 0 ? 1 : 0) - (slot.reserved > 0 ? 1 : 0);
        slot.reserved = needed;
    }

    private MemoryTube in(StoredTube tube) {
        return tubes.computeIfAbsent(tube.id(), id -> new MemoryTube(this, tube, clock));
    }

    // Put

    @Override
    public Put put(StoredTube tube, List<NewTask> newTasks) {
        return locks.run("put", transaction -> {
            if (dropped.contains(tube.id())) {
                return Put.NO_TUBE;
            }
            MemoryTube memory = in(tube);
            Optional<String> key = newTasks.get(0).uniqueKey();
            Optional<Slot> there = key.flatMap(k -> withKey(memory, k, transaction));
            if (there.isPresent()) {
                return Put.exists(there.get().id);
            }
            List<Row> rows = newTasks.stream().map(this::row).toList();
            if (!fits(memory, rows)) {
                return Put.FULL;
            }
            List<Long> put = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                Slot slot = new Slot(ids.incrementAndGet(), memory);
                rows.get(i).place = place(newTasks.get(i), slot.id);
                locks.change(slot, rows.get(i), transaction);
                put.add(slot.id);
            }
            return Put.done(put);
        });
    }

    private Optional<Slot> withKey(MemoryTube memory, String key, Transaction transaction) {
        locks.await(() -> memory.withKey(key).stream()
                .filter(slot -> slot.isLockedFor(transaction))
                .findFirst());
        return memory.withKey(key).stream()
                .filter(slot -> slot.seenBy(transaction) != null)
                .filter(slot -> key.equals(slot.seenBy(transaction).key))
                .findFirst();
    }

    private boolean fits(MemoryTube memory, List<Row> rows) {
        int capacity = memory.stored().definition().capacity().orElse(Integer.MAX_VALUE);
        return memory.slots().size() + (long) rows.size() <= capacity
                && tasks + (long) rows.size() <= maxTasks
                && bytes + rows.stream().mapToLong(Row::bytes).sum() <= maxBytes;
    }

    private Row row(NewTask task) {
        Row row = new Row();
        row.key = task.uniqueKey().orElse(null);
        fill(row, task);
        return row;
    }

    private void fill(Row row, NewTask task) {
        Instant now = clock.instant();
        row.state = task.state();
        row.created = now;
        row.event = task.untilEvent().map(now::plus).orElse(null);
        row.expires = task.untilExpiry().map(now::plus).orElse(null);
        row.ttr = task.ttr().orElse(null);
        row.utube = task.utube().orElse(null);
        row.behind = row.utube != null && row.state == READY;
        row.data = task.data();
    }

    private static Place place(NewTask task, long id) {
        Position position = task.position();
        long ord =
                switch (position.end()) {
                    case FIRST -> -id;
                    case LAST -> id;
                    case NUMBER -> position.number().orElseThrow();
                };
        return new Place(task.pri(), ord);
    }

    @Override
    public Optional<Moved> replace(StoredTube tube, long id, TaskState from, NewTask task) {
        return change("replace", tube, id, row -> row.state == from, row -> {
            fill(row, task);
            row.place = new Place(task.pri(), row.place.ord());
        });
    }

    // Take

    @Override
    public List<ClaimedTask> claim(StoredTube tube, Holder holder, Place after, int max) {
        return locks.run("take", transaction -> {
            Instant now = clock.instant();
            long token = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
            List<ClaimedTask> claimed = new ArrayList<>();
            for (Slot slot : claimable(in(tube), after, max, now, transaction)) {
                Row row = slot.seenBy(transaction).copy();
                row.state = TAKEN;
                row.behind = false;
                row.session = holder.session();
                row.node = holder.node();
                row.token = token;
                row.takenAt = now;
                row.event = row.ttr == null ? null : now.plus(row.ttr);
                row.attempts++;
                row.taken++;
                locks.change(slot, row, transaction);
                claimed.add(new ClaimedTask(row.toTask(slot.id, tube.name()), row.place, Optional.ofNullable(row.ttr)));
            }
            return claimed;
        });
    }

    /** What anybody can take, and what the own transaction has given back. */
    private static List<Slot> claimable(MemoryTube memory, Place after, int max, Instant now, Transaction transaction) {
        Stream<Slot> own = transaction.slots().stream()
                .filter(slot -> slot.tube == memory && slot.isIn(READY, transaction))
                .filter(slot -> !slot.pending.behind && !slot.pending.isOver(now))
                .filter(slot -> slot.pending.place.compareTo(after) > 0);
        return Stream.concat(memory.claimable(after, max, now).stream(), own)
                .sorted(byPlace(transaction))
                .limit(max)
                .toList();
    }

    private static Comparator<Slot> byPlace(Transaction transaction) {
        return Comparator.<Slot, Place>comparing(slot -> slot.seenBy(transaction).place)
                .thenComparingLong(slot -> slot.id);
    }

    @Override
    public void settle(StoredTube tube) {
        // The order of sub-queues is kept with each change
    }

    // Moves

    /** A change of a task that is as it must be; who has it locked is waited for. */
    private Optional<Moved> change(String what, StoredTube tube, long id, Predicate<Row> guard, Consumer<Row> change) {
        return locks.run(what, transaction -> {
            MemoryTube memory = in(tube);
            locks.await(() -> memory.find(id).filter(slot -> slot.isLockedFor(transaction)));
            return memory.find(id)
                    .filter(slot -> slot.seenBy(transaction) != null)
                    .filter(slot -> guard.test(slot.seenBy(transaction)))
                    .map(slot -> {
                        Row row = slot.seenBy(transaction).copy();
                        change.accept(row);
                        locks.change(slot, row, transaction);
                        return new Moved(until(row.event));
                    });
        });
    }

    private Optional<Duration> until(Instant event) {
        return Optional.ofNullable(event).map(this::until0);
    }

    private Duration until0(Instant event) {
        Duration until = Duration.between(clock.instant(), event);
        return until.isNegative() ? Duration.ZERO : until;
    }

    private static Predicate<Row> heldBy(Holder holder, Task task) {
        return row -> row.state == TAKEN
                && row.token == task.token()
                && holder.session().equals(row.session);
    }

    private Optional<Moved> move(String what, StoredTube tube, Holder holder, Task task, Consumer<Row> change) {
        return change(what, tube, task.id(), heldBy(holder, task), change);
    }

    @Override
    public boolean ack(StoredTube tube, Holder holder, Task task) {
        return remove("ack", tube, task.id(), heldBy(holder, task)).isPresent();
    }

    private Optional<TaskState> remove(String what, StoredTube tube, long id, Predicate<Row> guard) {
        return locks.run(what, transaction -> {
            MemoryTube memory = in(tube);
            locks.await(() -> memory.find(id).filter(slot -> slot.isLockedFor(transaction)));
            Optional<Slot> found = memory.find(id)
                    .filter(slot -> slot.seenBy(transaction) != null)
                    .filter(slot -> guard.test(slot.seenBy(transaction)));
            Optional<TaskState> state = found.map(slot -> slot.seenBy(transaction).state);
            found.ifPresent(slot -> locks.change(slot, null, transaction));
            return state;
        });
    }

    @Override
    public boolean ackAll(StoredTube tube, Holder holder, Collection<Task> acked) {
        return locks.run("ack", transaction -> {
            MemoryTube memory = in(tube);
            Map<Long, Task> byId = new LinkedHashMap<>();
            acked.forEach(task -> byId.put(task.id(), task));
            locks.await(() -> byId.keySet().stream()
                    .flatMap(id -> memory.find(id).stream())
                    .filter(slot -> slot.isLockedFor(transaction))
                    .findFirst());
            List<Slot> held = byId.values().stream()
                    .flatMap(task -> memory.find(task.id()).stream()
                            .filter(slot -> slot.seenBy(transaction) != null)
                            .filter(slot -> heldBy(holder, task).test(slot.seenBy(transaction))))
                    .toList();
            if (held.size() < byId.size()) {
                return false;
            }
            held.forEach(slot -> locks.change(slot, null, transaction));
            return true;
        });
    }

    @Override
    public Optional<Moved> done(StoredTube tube, Holder holder, Task task, TaskResult result) {
        return move("ack", tube, holder, task, row -> {
            checkRoom(result.data().size());
            row.unhold();
            row.state = DONE;
            row.result = result;
            row.key = null;
            row.expires = clock.instant().plus(result.ttl());
            row.event = row.expires;
        });
    }

    private void checkRoom(long more) {
        if (bytes + more > maxBytes) {
            throw new StoreException("a result of " + more + " bytes does not fit into temporaryMaxBytes (" + maxBytes
                    + "), of which " + bytes + " are used; ack without it, or make that larger");
        }
    }

    @Override
    public Optional<Moved> release(StoredTube tube, Holder holder, Task task) {
        return move("release", tube, holder, task, MemoryTaskStore::release);
    }

    private static void release(Row row) {
        row.unhold();
        row.state = READY;
        row.event = row.expires;
    }

    @Override
    public Optional<Moved> release(StoredTube tube, Holder holder, Task task, Duration delay, Optional<Duration> ttl) {
        return move("release", tube, holder, task, row -> {
            Instant now = clock.instant();
            if (ttl.isPresent()) {
                row.expires = now.plus(delay).plus(ttl.get());
            }
            release(row);
            if (delay.toMillis() > 0) {
                delay(row, now, delay, ttl.isEmpty());
            }
        });
    }

    private static void delay(Row row, Instant now, Duration delay, boolean prolong) {
        row.state = DELAYED;
        row.event = now.plus(delay);
        if (prolong && row.expires != null) {
            row.expires = row.expires.plus(delay);
        }
    }

    @Override
    public Optional<Moved> requeue(StoredTube tube, Holder holder, Task task) {
        return move("requeue", tube, holder, task, row -> {
            row.unhold();
            row.place = new Place(row.pri(), ids.incrementAndGet());
            row.becomeReady();
        });
    }

    @Override
    public Optional<Moved> bury(StoredTube tube, Holder holder, Task task) {
        return move("bury", tube, holder, task, MemoryTaskStore::bury);
    }

    private static void bury(Row row) {
        row.unhold();
        row.state = BURIED;
        row.event = row.expires;
        row.behind = false;
        row.buried++;
    }

    @Override
    public Optional<Moved> buryIdle(StoredTube tube, long id, TaskState from) {
        return change("bury", tube, id, row -> row.state == from, MemoryTaskStore::bury);
    }

    @Override
    public Optional<Moved> touch(StoredTube tube, Holder holder, Task task, Duration increment) {
        return move("touch", tube, holder, task, row -> {
            row.event = row.event == null ? null : row.event.plus(increment);
            row.expires = row.expires == null ? null : row.expires.plus(increment);
        });
    }

    @Override
    public Optional<Moved> heartbeat(StoredTube tube, Holder holder, Task task) {
        return move(
                "heartbeat",
                tube,
                holder,
                task,
                row -> row.event = row.ttr == null ? null : clock.instant().plus(row.ttr));
    }

    @Override
    public Optional<Moved> fail(
            StoredTube tube, Holder holder, Task task, TaskFailure failure, Optional<Duration> delay) {
        return move(delay.isEmpty() ? "bury" : "release", tube, holder, task, row -> {
            row.failure = failure;
            if (delay.isEmpty()) {
                bury(row);
            } else {
                release(row);
                if (delay.get().toMillis() > 0) {
                    delay(row, clock.instant(), delay.get(), true);
                }
            }
        });
    }

    @Override
    public int giveBack(StoredTube tube, Holder holder, Collection<Task> given) {
        int count = 0;
        for (Task task : given) {
            Optional<Moved> back = move("give back", tube, holder, task, row -> {
                release(row);
                row.attempts--;
            });
            count += back.isPresent() ? 1 : 0;
        }
        return count;
    }

    @Override
    public List<Long> kick(StoredTube tube, int max) {
        return locks.run("kick", transaction -> {
            List<Long> kicked = new ArrayList<>();
            for (Slot slot : inState(in(tube), BURIED, transaction)
                    .filter(slot -> !slot.isLockedFor(transaction))
                    .limit(max)
                    .toList()) {
                Row row = slot.seenBy(transaction).copy();
                dig(row);
                locks.change(slot, row, transaction);
                kicked.add(slot.id);
            }
            return kicked;
        });
    }

    private static void dig(Row row) {
        row.attempts = 0;
        row.becomeReady();
    }

    @Override
    public Optional<Moved> dig(StoredTube tube, long id) {
        return change("dig", tube, id, row -> row.state == BURIED, MemoryTaskStore::dig);
    }

    @Override
    public Optional<TaskState> delete(StoredTube tube, long id) {
        return remove("delete", tube, id, row -> true);
    }

    @Override
    public List<Long> releaseAll(StoredTube tube) {
        return releaseTaken("release all", tube, slot -> true, row -> true);
    }

    @Override
    public List<Long> releaseSession(StoredTube tube, UUID session, Collection<Long> held) {
        Set<Long> wanted = Set.copyOf(held);
        return releaseTaken("release", tube, slot -> wanted.contains(slot.id), row -> session.equals(row.session));
    }

    private List<Long> releaseTaken(String what, StoredTube tube, Predicate<Slot> wanted, Predicate<Row> guard) {
        return locks.run(what, transaction -> {
            MemoryTube memory = in(tube);
            awaitAll(
                    memory,
                    slot -> wanted.test(slot) && slot.committed != null && slot.committed.state == TAKEN,
                    transaction);
            List<Long> released = new ArrayList<>();
            for (Slot slot : inState(memory, TAKEN, transaction)
                    .filter(slot -> wanted.test(slot) && guard.test(slot.seenBy(transaction)))
                    .toList()) {
                Row row = slot.seenBy(transaction).copy();
                release(row);
                locks.change(slot, row, transaction);
                released.add(slot.id);
            }
            return released;
        });
    }

    private void awaitAll(MemoryTube memory, Predicate<Slot> which, Transaction transaction) {
        locks.await(() -> memory.slots().values().stream()
                .filter(slot -> slot.isLockedFor(transaction) && which.test(slot))
                .findFirst());
    }

    @Override
    public List<TubeCount> truncate(StoredTube tube) {
        return locks.run("truncate", transaction -> removeAll(in(tube), transaction));
    }

    private List<TubeCount> removeAll(MemoryTube memory, Transaction transaction) {
        awaitAll(memory, slot -> slot.committed != null, transaction);
        Map<TaskState, Long> removed = new EnumMap<>(TaskState.class);
        for (Slot slot : List.copyOf(memory.slots().values())) {
            Row row = slot.seenBy(transaction);
            if (row != null) {
                removed.merge(row.state, 1L, Long::sum);
                locks.change(slot, null, transaction);
            }
        }
        return removed.entrySet().stream()
                .map(state -> new TubeCount(memory.stored().id(), state.getKey(), state.getValue()))
                .toList();
    }

    @Override
    public void drop(StoredTube tube) {
        locks.run("drop", transaction -> {
            removeAll(in(tube), transaction);
            locks.afterCommit(() -> {
                dropped.add(tube.id());
                tubes.remove(tube.id());
            });
            return null;
        });
    }

    // Looks

    private static Stream<Slot> inState(MemoryTube memory, TaskState state, Transaction transaction) {
        Stream<Slot> others = memory.inState(state).stream().filter(slot -> slot.owner != transaction);
        Stream<Slot> own =
                transaction.slots().stream().filter(slot -> slot.tube == memory && slot.isIn(state, transaction));
        return transaction.slots().isEmpty()
                ? others
                : Stream.concat(others, own).sorted(byPlace(transaction));
    }

    private <T> Optional<T> look(StoredTube tube, long id, Function<Row, T> read) {
        return locks.run("look", transaction -> in(tube).find(id)
                .map(slot -> slot.seenBy(transaction))
                .map(read));
    }

    @Override
    public Optional<Task> find(StoredTube tube, long id) {
        return look(tube, id, row -> row.toTask(id, tube.name()));
    }

    @Override
    public Optional<UUID> holder(StoredTube tube, long id) {
        return look(tube, id, row -> row.session);
    }

    @Override
    public Optional<TaskMeta> meta(StoredTube tube, long id) {
        return look(tube, id, row -> row.toMeta(id, tube.name(), clock.instant()));
    }

    @Override
    public Optional<TaskResult> result(StoredTube tube, long id) {
        return look(tube, id, row -> row.result);
    }

    @Override
    public Map<Long, TaskState> states(Collection<Long> wanted) {
        return locks.run("look", transaction -> {
            Map<Long, TaskState> states = new HashMap<>();
            wanted.forEach(id -> tubes.values().stream()
                    .flatMap(memory -> memory.find(id).stream())
                    .map(slot -> slot.seenBy(transaction))
                    .filter(row -> row != null)
                    .forEach(row -> states.put(id, row.state)));
            return states;
        });
    }

    @Override
    public Optional<Task> first(StoredTube tube, TaskState state) {
        return locks.run("look", transaction -> firstSlot(in(tube), state, transaction)
                .map(slot -> slot.seenBy(transaction).toTask(slot.id, tube.name())));
    }

    private Optional<Slot> firstSlot(MemoryTube memory, TaskState state, Transaction transaction) {
        return switch (state) {
            case READY ->
                claimable(memory, Place.START, 1, clock.instant(), transaction).stream()
                        .findFirst();
            case DELAYED ->
                inState(memory, state, transaction)
                        .min(Comparator.comparing((Slot slot) -> slot.seenBy(transaction).event));
            default -> inState(memory, state, transaction).findFirst();
        };
    }

    @Override
    public List<Task> page(StoredTube tube, TaskState state, long afterId, int limit) {
        return locks.run("look", transaction -> in(tube).slots().tailMap(afterId, false).values().stream()
                .filter(slot -> slot.isIn(state, transaction))
                .limit(limit)
                .map(slot -> slot.seenBy(transaction).toTask(slot.id, tube.name()))
                .toList());
    }

    @Override
    public List<TubeCount> counts() {
        return locks.run("count", transaction -> {
            List<TubeCount> counts = new ArrayList<>();
            tubes.forEach((id, memory) -> {
                for (TaskState state : TaskState.values()) {
                    int count = memory.inState(state).size();
                    if (count > 0) {
                        counts.add(new TubeCount(id, state, count));
                    }
                }
            });
            return counts;
        });
    }

    @Override
    public Set<Integer> readyTubes(Collection<Integer> wanted) {
        return tubesThat(wanted, memory -> !memory.claimable(Place.START, 1, clock.instant())
                .isEmpty());
    }

    @Override
    public Set<Integer> freeTubes(Collection<Integer> wanted) {
        return tubesThat(wanted, memory -> fits(memory, List.of(smallest())));
    }

    private static Row smallest() {
        Row row = new Row();
        row.data = TaskData.of("");
        return row;
    }

    private Set<Integer> tubesThat(Collection<Integer> wanted, Predicate<MemoryTube> condition) {
        return locks.run("look", transaction -> {
            Set<Integer> found = new HashSet<>();
            tubes.forEach((id, memory) -> {
                if (wanted.contains(id) && condition.test(memory)) {
                    found.add(id);
                }
            });
            return found;
        });
    }

    // Deadlines

    private record Group(int tube, TaskState state) {}

    @Override
    public Sweep sweep(Set<Integer> told) {
        return locks.run("end deadlines", transaction -> {
            Instant now = clock.instant();
            List<Slot> due = events.stream()
                    .takeWhile(slot -> !slot.committed.event.isAfter(now))
                    .limit(SWEEP_BATCH)
                    .toList();
            Map<Group, List<Slot>> groups = new LinkedHashMap<>();
            due.forEach(slot -> groups.computeIfAbsent(
                            new Group(slot.tube.stored().id(), slot.committed.state), group -> new ArrayList<>())
                    .add(slot));
            List<Sweep.Swept> swept = new ArrayList<>();
            groups.forEach((group, slots) -> swept.add(sweep(group, slots, told, transaction)));
            return new Sweep(swept, due.isEmpty() ? untilNext(now) : Optional.of(Duration.ZERO));
        });
    }

    private Sweep.Swept sweep(Group group, List<Slot> slots, Set<Integer> told, Transaction transaction) {
        boolean comesBack = group.state == TAKEN || group.state == DELAYED;
        List<Task> removed = comesBack || !told.contains(group.tube)
                ? List.of()
                : slots.stream()
                        .map(slot -> slot.committed.toTask(slot.id, slot.tube.name()))
                        .toList();
        for (Slot slot : slots) {
            Row row = comesBack ? slot.committed.copy() : null;
            if (group.state == TAKEN) {
                release(row);
            } else if (group.state == DELAYED) {
                row.becomeReady();
            }
            locks.change(slot, row, transaction);
        }
        return new Sweep.Swept(
                group.tube, group.state, slots.stream().map(slot -> slot.id).toList(), removed);
    }

    /** What is locked comes back into the order of events by the end of its transaction, and may be over by then. */
    private Optional<Duration> untilNext(Instant now) {
        Optional<Duration> next = events.isEmpty()
                ? Optional.empty()
                : Optional.of(Duration.between(now, events.first().committed.event));
        if (!locks.anyOpen()) {
            return next;
        }
        return Optional.of(
                next.filter(until -> until.compareTo(LOCKED_RETRY) < 0).orElse(LOCKED_RETRY));
    }
}
