package org.tasktube.store.memory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.store.Change;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Histories;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.Poll;
import org.tasktube.store.Put;
import org.tasktube.store.Reports;
import org.tasktube.store.Scan;
import org.tasktube.store.ScanResult;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TaskReads;
import org.tasktube.store.TemporaryTaskStore;
import org.tasktube.store.Transactions;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/**
 * Tasks in the memory of one server, by the rules of a database: a transaction sees its own changes, others see
 * them after the commit. A claim skips tasks that another transaction is changing; any other change of such a
 * task waits for the end of that transaction.
 */
public final class MemoryTaskStore implements TemporaryTaskStore {

    /** The time that a change waits for another transaction: as long as a user may wait for a page. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

    private final Memory memory;
    private final OpenTransactions transactions;
    private final InstantSource clock;
    private final MemoryDeadlines deadlines;
    private final MemoryReads reads;

    /**
     * @param maxTasks the most tasks in all tubes together
     * @param maxBytes the most bytes of heap for all of them: their data, headers, results and failures, and
     *     some hundred bytes for each
     * @param clock gives all times
     */
    public MemoryTaskStore(Transactions transactions, int maxTasks, long maxBytes, InstantSource clock) {
        this.memory = new Memory(clock, maxTasks, maxBytes);
        this.transactions = new OpenTransactions(transactions, memory, LOCK_TIMEOUT);
        this.clock = clock;
        this.deadlines = new MemoryDeadlines(memory);
        this.reads = new MemoryReads(memory, this.transactions, clock);
    }

    /** Does nothing: the memory is freed with the store. */
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
            // A ttl may end after the wait. Then another transaction may have the task still
            if (there.filter(task -> task.lock.isHeldByAnother(transaction)
                            || task.seenBy(transaction).keepsKey(clock.instant()))
                    .isPresent()) {
                return Put.exists(there.get().id);
            }
            if (memory.isDropped(transaction, tube.id())) {
                // While it waited for the key
                return Put.NO_TUBE;
            }
            Put put = memory.put(transaction, tube, tasks);
            there.filter(over -> put.outcome() == Put.Outcome.DONE)
                    .ifPresent(over -> memory.freeKey(transaction, over));
            return put;
        });
    }

    /** Returns the task that has the key, after a wait for transactions that decide on that. */
    private Optional<MemoryTask> byKey(MemoryTransaction transaction, StoredTube tube, String key) {
        OpenTransactions.LockWait wait = transactions.lockWait("a put of the unique key '" + key + "'");
        Supplier<Stream<MemoryTask>> tasks = () -> memory.tube(tube).byKey(key);
        wait.awaitNone(
                transaction,
                tasks,
                task -> task.lock.isHeldByAnother(transaction) && task.isUndecided(key, clock.instant()));
        return tasks.get()
                .filter(task -> MemoryTask.hasKey(task.seenBy(transaction), key))
                .findFirst();
    }

    @Override
    public Optional<Transitioned> replace(StoredTube tube, long id, TaskState from, NewTask task) {
        Change change = Change.of(task.state() == TaskState.READY ? Transition.REPLACE : Transition.REPLACE_DELAYED);
        Predicate<Row> inState = row -> row.state == from
                && task.uniqueKey().filter(key -> !key.equals(row.key)).isEmpty();
        return transactions.change(
                transaction -> matching(transaction, "replace", byId(tube, Set.of(id)), inState).stream()
                        .map(found -> memory.change(transaction, found, change, (row, now) -> row.fill(task, now)))
                        .map(row -> Transitioned.one(change.transition(), from, id, row.untilDeadline(clock.instant())))
                        .findFirst());
    }

    // Take

    @Override
    public List<ClaimedTask> claim(StoredTube tube, Holder holder, long token, ClaimRange range) {
        Change take = Change.of(Transition.TAKE);
        return transactions.change(transaction -> memory.tube(tube).claimable(transaction, range).stream()
                .map(row -> memory.change(transaction, memory.taskOf(row), take, RowEdit.take(holder, token)))
                .map(row -> new ClaimedTask(row.toTask(), row.key(), Optional.ofNullable(row.ttr), row.waitMillis()))
                .toList());
    }

    /** Does nothing: each commit promotes the heads of the sub-queues that it changed. */
    @Override
    public void promoteHeads(StoredTube tube) {}

    // Transitions

    @Override
    public Optional<Transitioned> apply(StoredTube tube, Change change, Holder holder, Task task) {
        return one(tube, change, task.id(), held(holder, List.of(task)));
    }

    @Override
    public Optional<Transitioned> apply(StoredTube tube, Change change, long id) {
        Set<TaskState> from = change.from().map(Set::of).orElseGet(change.transition()::from);
        return one(tube, change, id, row -> from.contains(row.state));
    }

    private Optional<Transitioned> one(StoredTube tube, Change change, long id, Predicate<Row> guard) {
        return transactions.change(transaction -> matching(transaction, change, byId(tube, Set.of(id)), guard).stream()
                .map(task -> one(transaction, change, task))
                .findFirst());
    }

    private Transitioned one(MemoryTransaction transaction, Change change, MemoryTask task) {
        TaskState from = task.seenBy(transaction).state;
        Optional<Duration> untilDeadline =
                edit(transaction, change, task).flatMap(row -> row.untilDeadline(clock.instant()));
        return Transitioned.one(change.transition(), from, task.id, untilDeadline);
    }

    /** Returns the new version of the task; empty if the change removed it. */
    private Optional<Row> edit(MemoryTransaction transaction, Change change, MemoryTask task) {
        if (change.transition().to().isEmpty()) {
            memory.remove(transaction, task, change);
            return Optional.empty();
        }
        return Optional.of(memory.change(transaction, task, change, RowEdit.of(change, memory::newId)));
    }

    @Override
    public Transitioned applyToHeld(StoredTube tube, Change change, Holder holder, Collection<Task> tasks) {
        return many(change, byId(tube, ids(tasks)), held(holder, tasks));
    }

    @Override
    public Transitioned ackUnlocked(StoredTube tube, Holder holder, Collection<Task> tasks) {
        return applyToHeld(tube, Change.of(Transition.ACK), holder, tasks);
    }

    @Override
    public Optional<Transitioned> applyToAllHeld(
            StoredTube tube, Change change, Holder holder, Collection<Task> tasks) {
        Set<Long> ids = ids(tasks);
        return transactions.change(transaction -> {
            List<MemoryTask> held = matching(transaction, change, byId(tube, ids), held(holder, tasks));
            return held.size() < ids.size() ? Optional.empty() : Optional.of(many(transaction, change, held));
        });
    }

    private static Set<Long> ids(Collection<Task> tasks) {
        return tasks.stream().map(Task::id).collect(Collectors.toSet());
    }

    @Override
    public Transitioned applyToFirst(StoredTube tube, Change change, int max) {
        return transactions.change(transaction -> many(
                transaction,
                change,
                memory.tube(tube).kickable(transaction, max).stream()
                        .map(memory::taskOf)
                        .toList()));
    }

    @Override
    public Transitioned applyToSession(StoredTube tube, Change change, UUID session, Collection<Long> ids) {
        return many(change, byId(tube, Set.copyOf(ids)), row -> row.isHeld(session));
    }

    private Transitioned many(Change change, Selection selection, Predicate<Row> guard) {
        return transactions.change(
                transaction -> many(transaction, change, matching(transaction, change, selection, guard)));
    }

    private Transitioned many(MemoryTransaction transaction, Change change, List<MemoryTask> tasks) {
        TaskState from = change.transition().from().iterator().next();
        tasks.forEach(task -> edit(transaction, change, task));
        return Transitioned.many(
                change.transition(), from, tasks.stream().map(task -> task.id).toList());
    }

    @Override
    public List<Transitioned> applyToAll(StoredTube tube, Change change, boolean withTasks) {
        Set<TaskState> from = change.transition().from();
        Selection all = from.size() == 1
                ? transaction -> memory.tube(tube)
                        .in(transaction, from.iterator().next())
                        .map(memory::taskOf)
                : all(tube);
        return transactions.change(transaction -> {
            Map<TaskState, List<Task>> before = new EnumMap<>(TaskState.class);
            for (MemoryTask task : matching(transaction, change, all, row -> from.contains(row.state))) {
                Row row = task.seenBy(transaction);
                before.computeIfAbsent(row.state, state -> new ArrayList<>()).add(row.toTask());
                edit(transaction, change, task);
            }
            boolean removed = change.transition().to().isEmpty();
            List<Transitioned> done = new ArrayList<>();
            before.forEach((state, tasks) -> done.add(new Transitioned(
                    change.transition(),
                    state,
                    tasks.size(),
                    removed ? List.of() : tasks.stream().map(Task::id).toList(),
                    removed && withTasks ? tasks : List.of(),
                    Optional.empty())));
            return done;
        });
    }

    @Override
    public <T> T together(Supplier<T> calls) {
        return transactions.together(calls);
    }

    @Override
    public void awaitIdle(StoredTube tube) {
        transactions.change(transaction -> matching(transaction, "drop", all(tube), row -> true));
    }

    /**
     * Does not wait: the tube's row is removed, and a drop that failed now would leave tasks that no call can
     * reach.
     */
    @Override
    public void drop(StoredTube tube) {
        transactions.change(transaction -> {
            memory.tube(tube)
                    .all(transaction)
                    .filter(row -> !row.lock.isHeldByAnother(transaction))
                    .toList()
                    .forEach(row -> memory.remove(transaction, memory.taskOf(row)));
            return transaction.dropped.add(tube.id());
        });
    }

    @Override
    public Set<Integer> tubes() {
        return transactions.read(transaction -> memory.tubeIds());
    }

    @Override
    public void forget(Collection<Integer> tubes) {
        transactions.changeAlone(transaction -> transaction.dropped.addAll(tubes));
    }

    // The tasks that a change is for: the WHERE of a statement

    /** The tasks that a change may be for, as a transaction sees them. */
    @FunctionalInterface
    private interface Selection {
        Stream<MemoryTask> tasks(MemoryTransaction transaction);
    }

    private Selection byId(StoredTube tube, Set<Long> ids) {
        return transaction -> memory.tasks(tube, ids);
    }

    private Selection all(StoredTube tube) {
        return transaction -> memory.tube(tube).all(transaction).map(memory::taskOf);
    }

    /** Returns a guard: one of these takings holds the row. */
    private static Predicate<Row> held(Holder holder, Collection<Task> takings) {
        Map<Long, Set<Long>> tokens = takings.stream()
                .collect(Collectors.groupingBy(Task::id, Collectors.mapping(Task::token, Collectors.toSet())));
        return row -> row.isHeld(holder.session()) && tokens.get(row.id).contains(row.taking.token());
    }

    /**
     * Returns the tasks that pass the guard, after a wait for transactions that are changing a committed one of
     * these.
     */
    private List<MemoryTask> matching(
            MemoryTransaction transaction, Change change, Selection selection, Predicate<Row> guard) {
        return matching(transaction, change.transition().event().name().toLowerCase(Locale.ROOT), selection, guard);
    }

    private List<MemoryTask> matching(
            MemoryTransaction transaction, String operation, Selection selection, Predicate<Row> guard) {
        transactions
                .lockWait(operation)
                .awaitNone(
                        transaction,
                        () -> selection.tasks(transaction),
                        task -> task.lock.isHeldByAnother(transaction)
                                && task.committed != null
                                && guard.test(task.committed));
        return selection
                .tasks(transaction)
                .filter(task -> task.seenBy(transaction) != null && guard.test(task.seenBy(transaction)))
                .toList();
    }

    // Reads

    @Override
    public ScanResult scan(Scan scan, Map<Integer, String> names) {
        return reads.scan(scan, names);
    }

    /** Knows no modes: the rows of temporary tubes are in the database. */
    @Override
    public Poll poll(Collection<Integer> takers, Collection<Integer> putters) {
        return new Poll(reads.readyTubes(takers), reads.freeTubes(putters), Map.of(), Optional.empty());
    }

    @Override
    public List<FailureGroup> failureGroups(int most, Collection<Fingerprint> also) {
        return reads.failureGroups(most, also);
    }

    @Override
    public TaskReads reads() {
        return reads;
    }

    @Override
    public Reports reports() {
        return new MemoryReports(memory, transactions, clock);
    }

    @Override
    public Histories histories() {
        return new MemoryHistories(memory, transactions, clock);
    }

    @Override
    public Sweep sweep(Set<Integer> observed) {
        return transactions.change(transaction -> deadlines.sweep(transaction, observed));
    }
}
