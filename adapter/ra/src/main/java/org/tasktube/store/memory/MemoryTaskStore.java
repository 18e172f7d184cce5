package org.tasktube.store.memory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
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

/**
 * Tasks in the memory of one server, by the rules that they have in a database: a transaction sees what it did, others see it
 * after the commit, a claim passes over what another transaction is changing, and any other change of that waits for its end.
 */
public final class MemoryTaskStore implements TemporaryTaskStore {

    /** How long a change waits for another transaction, as long as a user may wait for a page. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Memory memory;
    private final OpenTransactions transactions;
    private final InstantSource clock;
    private final Deadlines deadlines;

    /**
     * @param maxTasks the most tasks in all tubes together
     * @param maxBytes the most bytes of heap for all of them: their data, results and failures, and some hundred
     *     bytes for each
     * @param clock where all times come from
     */
    public MemoryTaskStore(Transactions transactions, int maxTasks, long maxBytes, InstantSource clock) {
        this.memory = new Memory(clock, maxTasks, maxBytes);
        this.transactions = new OpenTransactions(transactions, memory, PATIENCE);
        this.clock = clock;
        this.deadlines = new Deadlines(memory);
    }

    /** The memory goes with the store. */
    @Override
    public void close() {}

    // Put

    @Override
    public Put put(StoredTube tube, List<NewTask> tasks) {
        return transactions.change(transaction -> {
            if (memory.isDropped(transaction, tube.id())) {
                return Put.NO_TUBE;
            }
            Optional<MemoryTask> there = tasks.get(0).uniqueKey().flatMap(key -> byKey(transaction, tube, key));
            if (there.isPresent()) {
                return Put.exists(there.get().id);
            }
            // While it waited for the key's fate, the tube may have gone
            return memory.isDropped(transaction, tube.id()) ? Put.NO_TUBE : memory.put(transaction, tube, tasks);
        });
    }

    /** The task that has the key, when no other transaction is about to give it to one or take it away. */
    private Optional<MemoryTask> byKey(MemoryTransaction transaction, StoredTube tube, String key) {
        OpenTransactions.Patience patience = transactions.patience("a put of the unique key '" + key + "'");
        Supplier<Stream<MemoryTask>> tasks = () -> memory.tube(tube).byKey(key);
        patience.awaitNone(transaction, tasks, task -> task.isChangedByAnother(transaction) && task.isUndecided(key));
        return tasks.get()
                .filter(task -> MemoryTask.hasKey(task.seenBy(transaction), key))
                .findFirst();
    }

    @Override
    public Optional<Moved> replace(StoredTube tube, long id, TaskState from, NewTask task) {
        return move("replace", tube, id, in(from), (row, now) -> row.fill(task, now));
    }

    // Take

    @Override
    public List<ClaimedTask> claim(StoredTube tube, Holder holder, long token, Place after, int max) {
        Moves.Move take = Moves.take(holder, token);
        return transactions.change(transaction -> memory.tube(tube).claimable(transaction, after, max).stream()
                .map(row -> memory.change(transaction, row.task, take))
                .map(row -> new ClaimedTask(row.toTask(), row.place(), Optional.ofNullable(row.ttr)))
                .toList());
    }

    /** Each commit settles the sub-queues that it changed. */
    @Override
    public void settle(StoredTube tube) {}

    // Moves by the holder

    @Override
    public boolean ack(StoredTube tube, Holder holder, Task task) {
        return ackAll(tube, holder, List.of(task));
    }

    @Override
    public boolean ackAll(StoredTube tube, Holder holder, Collection<Task> tasks) {
        Set<Long> ids = tasks.stream().map(Task::id).collect(Collectors.toSet());
        return transactions.change(transaction -> {
            List<MemoryTask> held = matching(transaction, "ack", byId(tube, ids), held(holder, tasks));
            if (held.size() < ids.size()) {
                return false;
            }
            held.forEach(task -> memory.remove(transaction, task));
            return true;
        });
    }

    @Override
    public Optional<Moved> done(StoredTube tube, Holder holder, Task task, TaskResult result) {
        return move("ack", tube, holder, task, Moves.done(result));
    }

    @Override
    public Optional<Moved> release(StoredTube tube, Holder holder, Task task) {
        return move("release", tube, holder, task, Moves::release);
    }

    @Override
    public Optional<Moved> release(StoredTube tube, Holder holder, Task task, Duration delay, Optional<Duration> ttl) {
        return move("release", tube, holder, task, Moves.release(delay, ttl));
    }

    @Override
    public Optional<Moved> requeue(StoredTube tube, Holder holder, Task task) {
        return move("requeue", tube, holder, task, (row, now) -> Moves.requeue(row, now, memory.newId()));
    }

    @Override
    public Optional<Moved> bury(StoredTube tube, Holder holder, Task task) {
        return move("bury", tube, holder, task, Moves::bury);
    }

    @Override
    public Optional<Moved> touch(StoredTube tube, Holder holder, Task task, Duration increment) {
        return move("touch", tube, holder, task, Moves.touch(increment));
    }

    @Override
    public Optional<Moved> heartbeat(StoredTube tube, Holder holder, Task task) {
        return move("heartbeat", tube, holder, task, Moves::heartbeat);
    }

    @Override
    public Optional<Moved> fail(
            StoredTube tube, Holder holder, Task task, TaskFailure failure, Optional<Duration> delay) {
        return move("fail", tube, holder, task, Moves.fail(failure, delay));
    }

    @Override
    public List<Long> giveBack(StoredTube tube, Holder holder, Collection<Task> tasks) {
        Set<Long> ids = tasks.stream().map(Task::id).collect(Collectors.toSet());
        return moveAll("give back", byId(tube, ids), held(holder, tasks), Moves::giveBack);
    }

    // Moves by anybody

    @Override
    public Optional<Moved> buryIdle(StoredTube tube, long id, TaskState from) {
        return move("bury", tube, id, in(from), Moves::bury);
    }

    @Override
    public List<Long> kick(StoredTube tube, int max) {
        return transactions.change(transaction -> memory.tube(tube).kickable(transaction, max).stream()
                .map(row -> memory.change(transaction, row.task, Moves::kick).id)
                .toList());
    }

    @Override
    public Optional<Moved> dig(StoredTube tube, long id) {
        return move("dig", tube, id, in(TaskState.BURIED), Moves::kick);
    }

    @Override
    public Optional<TaskState> delete(StoredTube tube, long id) {
        return transactions.change(transaction -> remove(transaction, "delete", byId(tube, Set.of(id))).stream()
                .map(row -> row.state)
                .findFirst());
    }

    @Override
    public List<Long> releaseAll(StoredTube tube) {
        return moveAll(
                "release all",
                transaction -> memory.tube(tube).in(transaction, TaskState.TAKEN),
                in(TaskState.TAKEN),
                Moves::release);
    }

    @Override
    public List<Long> releaseSession(StoredTube tube, UUID session, Collection<Long> ids) {
        return moveAll("release", byId(tube, Set.copyOf(ids)), row -> row.isHeld(session), Moves::release);
    }

    @Override
    public List<TubeCount> truncate(StoredTube tube) {
        return transactions.change(transaction -> {
            Map<TaskState, Long> gone = removeAll(transaction, "truncate", tube).stream()
                    .collect(Collectors.groupingBy(row -> row.state, Collectors.counting()));
            List<TubeCount> counts = new ArrayList<>();
            gone.forEach((state, count) -> counts.add(new TubeCount(tube.id(), state, count)));
            return counts;
        });
    }

    @Override
    public List<Task> removeAll(StoredTube tube) {
        return transactions.change(transaction -> removeAll(transaction, "truncate", tube).stream()
                .map(Row::toTask)
                .toList());
    }

    @Override
    public <T> T together(Supplier<T> calls) {
        return transactions.together(calls);
    }

    @Override
    public void awaitIdle(StoredTube tube) {
        transactions.change(transaction ->
                matching(transaction, "drop", seeing -> memory.tube(tube).all(seeing), row -> true));
    }

    /** Waits for nobody: the tube's row is gone, and a drop that failed now would leave tasks that nobody can reach. */
    @Override
    public void drop(StoredTube tube) {
        transactions.change(transaction -> {
            memory.tube(tube)
                    .all(transaction)
                    .filter(task -> !task.isChangedByAnother(transaction))
                    .toList()
                    .forEach(task -> memory.remove(transaction, task));
            return transaction.dropped.add(tube.id());
        });
    }

    @Override
    public Set<Integer> tubes() {
        return transactions.lookAtAll(memory::registeredTubes);
    }

    @Override
    public void forget(Collection<Integer> tubes) {
        transactions.changeAlone(transaction -> transaction.dropped.addAll(tubes));
    }

    private List<Row> removeAll(MemoryTransaction transaction, String what, StoredTube tube) {
        return remove(transaction, what, seeing -> memory.tube(tube).all(seeing));
    }

    private List<Row> remove(MemoryTransaction transaction, String what, Among among) {
        List<Row> removed = new ArrayList<>();
        for (MemoryTask task : matching(transaction, what, among, row -> true)) {
            removed.add(task.seenBy(transaction));
            memory.remove(transaction, task);
        }
        return removed;
    }

    // The form of all moves: what a statement has as its WHERE, and what it sets

    /** Where to look for tasks, in the eyes of a transaction. */
    @FunctionalInterface
    private interface Among {
        Stream<MemoryTask> tasks(MemoryTransaction transaction);
    }

    private Among byId(StoredTube tube, Set<Long> ids) {
        return transaction ->
                ids.stream().flatMap(id -> memory.task(id).stream()).filter(task -> task.tube.id() == tube.id());
    }

    private static Predicate<Row> in(TaskState state) {
        return row -> row.state == state;
    }

    /** Whether one of these takings holds it. */
    private static Predicate<Row> held(Holder holder, Collection<Task> takings) {
        Map<Long, Set<Long>> tokens = takings.stream()
                .collect(Collectors.groupingBy(Task::id, Collectors.mapping(Task::token, Collectors.toSet())));
        return row -> row.isHeld(holder.session()) && tokens.get(row.id).contains(row.taking.token());
    }

    private Optional<Moved> move(String what, StoredTube tube, Holder holder, Task task, Moves.Move move) {
        return move(what, tube, task.id(), held(holder, List.of(task)), move);
    }

    private Optional<Moved> move(String what, StoredTube tube, long id, Predicate<Row> guard, Moves.Move move) {
        return transactions.change(transaction -> matching(transaction, what, byId(tube, Set.of(id)), guard).stream()
                .map(task -> memory.change(transaction, task, move).moved(clock.instant()))
                .findFirst());
    }

    private List<Long> moveAll(String what, Among among, Predicate<Row> guard, Moves.Move move) {
        return transactions.change(transaction -> matching(transaction, what, among, guard).stream()
                .map(task -> memory.change(transaction, task, move).id)
                .toList());
    }

    /** The tasks that are as they must be, when no other transaction is changing one that is so for all others. */
    private List<MemoryTask> matching(MemoryTransaction transaction, String what, Among among, Predicate<Row> guard) {
        transactions
                .patience(what)
                .awaitNone(
                        transaction,
                        () -> among.tasks(transaction),
                        task -> task.isChangedByAnother(transaction)
                                && task.committed != null
                                && guard.test(task.committed));
        return among.tasks(transaction)
                .filter(task -> task.seenBy(transaction) != null && guard.test(task.seenBy(transaction)))
                .toList();
    }

    // Looks

    @Override
    public Optional<Task> find(StoredTube tube, long id) {
        return look(tube, id).map(Row::toTask);
    }

    @Override
    public List<Task> tasks(StoredTube tube, Collection<Long> ids) {
        return transactions.look(transaction -> byId(tube, new LinkedHashSet<>(ids))
                .tasks(transaction)
                .flatMap(task -> Stream.ofNullable(task.seenBy(transaction)))
                .map(Row::toTask)
                .toList());
    }

    @Override
    public Optional<UUID> holder(StoredTube tube, long id) {
        return look(tube, id).flatMap(row -> Optional.ofNullable(row.taking)).map(taking -> taking.holder()
                .session());
    }

    @Override
    public Optional<TaskMeta> meta(StoredTube tube, long id) {
        return look(tube, id).map(row -> row.toMeta(clock.instant()));
    }

    @Override
    public Optional<TaskResult> result(StoredTube tube, long id) {
        return look(tube, id).flatMap(row -> Optional.ofNullable(row.result));
    }

    private Optional<Row> look(StoredTube tube, long id) {
        return transactions.look(transaction -> byId(tube, Set.of(id))
                .tasks(transaction)
                .flatMap(task -> Stream.ofNullable(task.seenBy(transaction)))
                .findFirst());
    }

    @Override
    public Map<Long, TaskState> states(Collection<Long> ids) {
        return transactions.look(transaction -> {
            Map<Long, TaskState> states = new HashMap<>();
            for (long id : ids) {
                memory.task(id)
                        .flatMap(task -> Optional.ofNullable(task.seenBy(transaction)))
                        .ifPresent(row -> states.put(id, row.state));
            }
            return states;
        });
    }

    @Override
    public Optional<Task> first(StoredTube tube, TaskState state) {
        return transactions.look(transaction -> {
            MemoryTube there = memory.tube(tube);
            Optional<Row> first = state == TaskState.READY
                    ? there.claimable(transaction, Place.START, 1).stream().findFirst()
                    : there.first(transaction, state);
            return first.map(Row::toTask);
        });
    }

    @Override
    public List<Task> page(StoredTube tube, TaskState state, long afterId, int limit) {
        return transactions.look(transaction -> memory.tube(tube).page(transaction, state, afterId, limit).stream()
                .map(Row::toTask)
                .toList());
    }

    @Override
    public List<TubeCount> counts() {
        return transactions.look(transaction -> {
            List<TubeCount> counts = new ArrayList<>();
            for (MemoryTube tube : memory.tubes()) {
                for (TaskState state : TaskState.values()) {
                    long count = tube.count(transaction, state);
                    if (count > 0) {
                        counts.add(new TubeCount(tube.id(), state, count));
                    }
                }
            }
            return counts;
        });
    }

    @Override
    public Set<Integer> readyTubes(Collection<Integer> tubes) {
        return transactions.look(transaction -> tubes.stream()
                .filter(id -> memory.tube(id)
                        .filter(tube ->
                                !tube.claimable(transaction, Place.START, 1).isEmpty())
                        .isPresent())
                .collect(Collectors.toSet()));
    }

    /** Also of those without a capacity: the room that all share may be full. */
    @Override
    public Set<Integer> freeTubes(Collection<Integer> tubes) {
        return transactions.look(transaction -> tubes.stream()
                .filter(id -> !memory.isDropped(transaction, id) && memory.hasPlace(transaction, id))
                .collect(Collectors.toSet()));
    }

    @Override
    public Sweep sweep(Set<Integer> told) {
        return transactions.change(transaction -> deadlines.sweep(transaction, told));
    }
}
