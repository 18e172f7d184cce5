package org.tasktube.store.sql;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;
import org.tasktube.store.Change;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.IndexStep;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Poll;
import org.tasktube.store.Put;
import org.tasktube.store.Scan;
import org.tasktube.store.ScanResult;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/**
 * Keeps tasks in H2 or PostgreSQL. Each kind of operation has a class of its own. Each method is atomic. If the caller has a transaction, a method is part of it, unless its comment says
 * otherwise. A change is guarded: if the task is not in the state, or that taking does not hold it, the empty result is
 * ordinary. Times are by the store's own clock, and a {@link java.time.Duration} counts from its present time.
 *
 * <p>The store gives out one task of a sub-queue at a time: its head, the first of the READY tasks. The store promotes
 * a head after the commit that made it the first, before the next claim outside a transaction.
 *
 * <p>If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public final class TaskStore {

    /** The time for which the write of an outcome waits for a lock. */
    private static final Duration OUTCOME_PATIENCE = Duration.ofMillis(250);

    private final Jdbc jdbc;
    private final Puts puts;
    private final FieldRows fields;
    private final FieldUpkeep fieldUpkeep;
    private final Claims claims;
    private final Transitions transitions;
    private final Transitions outcomes;
    private final Truncation truncation;
    private final Sweeps sweeps;
    private final Orphans orphans;
    private final TaskReads reads;
    private final FailureKinds kinds;
    private final FailureGroups groups;
    private final Scans scans;
    private final Reports reports;
    private final Histories histories;

    TaskStore(Jdbc jdbc, Tables tables, boolean temporary, Entities entities, KnownKinds known, KnownTubes history) {
        Dialect dialect = temporary ? tables.temporary() : tables.durable();
        HistoryMoves moves = new HistoryMoves(dialect, history);
        this.jdbc = jdbc;
        this.puts = new Puts(jdbc, dialect, new Tubes(jdbc, tables, entities, history)::mode, moves);
        this.fields = new FieldRows(jdbc, dialect.statements(), history::latest);
        this.fieldUpkeep = new FieldUpkeep(jdbc, dialect, fields);
        this.claims = new Claims(jdbc, dialect, moves);
        this.kinds = new FailureKinds(jdbc, dialect, known);
        this.groups = new FailureGroups(jdbc, dialect);
        this.transitions = new Transitions(jdbc, dialect, kinds, moves);
        this.outcomes =
                new Transitions(jdbc.beginning(tables.durable().lockLimit(OUTCOME_PATIENCE)), dialect, kinds, moves);
        this.truncation = new Truncation(jdbc, dialect, moves);
        this.sweeps = new Sweeps(jdbc, dialect, moves);
        this.orphans = new Orphans(jdbc, dialect, temporary);
        this.reads = new TaskReads(jdbc, dialect, entities, temporary ? "TemporaryTask" : "Task");
        this.scans = new Scans(jdbc, dialect);
        this.reports = new Reports(jdbc, dialect, entities);
        this.histories = new Histories(jdbc, dialect, history);
    }

    /** Puts all tasks or none, in their order. A task with a unique key must be the only one. */
    public Put put(StoredTube tube, List<NewTask> tasks) {
        return fields.put(tube, tasks, () -> puts.put(tube, tasks));
    }

    /**
     * Puts a READY task that a holder waits for. The task is TAKEN by the holder from its put on, unless too many READY
     * tasks come before it, or the tube is PAUSED; then it is put as by {@link #put}. A store may always do that.
     *
     * @param task a task with {@link NewTask#isPlain()}
     * @param token the token of the taking, which is above 0 and no other taking's
     * @param before the READY tasks that may come before it: so many after a position, before which there are none.
     *     Asked for when there is a connection
     */
    public Put putFor(StoredTube tube, NewTask task, Holder holder, long token, Supplier<ClaimRange> before) {
        return fields.put(tube, List.of(task), () -> puts.putFor(tube, task, holder, token, before));
    }

    /** Replaces the data and the times of a READY or DELAYED task. The new times count from now. */
    public Optional<Transitioned> replace(StoredTube tube, long id, TaskState from, NewTask task) {
        return fields.replace(tube, id, task.data(), () -> transitions.replace(tube, id, from, task));
    }

    /**
     * Takes READY tasks, the first ones of a range. Skips tasks that other transactions have locked.
     *
     * @param token the token of this taking, which is above 0 and no other taking's
     */
    public List<ClaimedTask> claim(StoredTube tube, Holder holder, long token, ClaimRange range) {
        return claims.claim(tube, holder, token, range);
    }

    /** Returns when to look again for a READY task of a tube with a limit of takes in a time; empty if none is READY. */
    public Optional<Duration> nextTurn(StoredTube tube) {
        return claims.nextTurn(tube);
    }

    /**
     * Promotes heads of sub-queues, so that claims inside transactions see them. Callers are never in a transaction.
     */
    public void promoteHeads(StoredTube tube) {
        claims.promoteHeads(tube);
    }

    /** Applies a change to a task that this taking holds. */
    public Optional<Transitioned> apply(StoredTube tube, Change change, Holder holder, Task task) {
        return transitions.apply(tube, change, holder, task);
    }

    /**
     * The same for the outcome of a delivery, which is written again later: outside a transaction it fails if another one
     * has locked the task for longer than a moment.
     */
    public Optional<Transitioned> applyOutcome(StoredTube tube, Change change, Holder holder, Task task) {
        return outcomes.apply(tube, change, holder, task);
    }

    /** Applies a change to the task with an id. */
    public Optional<Transitioned> apply(StoredTube tube, Change change, long id) {
        return transitions.apply(tube, change, id);
    }

    /** Returns each of these tasks that its taking still holds. Waits for locks like {@link #applyOutcome}. */
    public Transitioned returnUnstarted(StoredTube tube, Holder holder, Collection<Task> tasks) {
        return outcomes.applyToHeld(tube, Change.of(Transition.RETURN_UNSTARTED), holder, tasks);
    }

    /** Acks each of these tasks that its taking still holds and that no other transaction has locked. Waits for none. */
    public Transitioned ackUnlocked(StoredTube tube, Holder holder, Collection<Task> tasks) {
        return transitions.ackUnlocked(tube, holder, tasks);
    }

    /**
     * Applies a change to all of these tasks. If one of them is no longer held by its taking, changes none and returns
     * empty.
     */
    public Optional<Transitioned> applyToAllHeld(
            StoredTube tube, Change change, Holder holder, Collection<Task> tasks) {
        return transitions.applyToAllHeld(tube, change, holder, tasks);
    }

    /** Applies a change to the first tasks, at most {@code max}, of the state that it is from. */
    public Transitioned applyToFirst(StoredTube tube, Change change, int max) {
        return transitions.applyToFirst(tube, change, max);
    }

    /**
     * Deletes a task that nobody holds, with a reason in the history of its tube.
     *
     * @return the deletion, or the transition of a task that somebody holds; empty if the task does not exist
     */
    public Optional<Transitioned> cancel(StoredTube tube, long id, TaskFailure why) {
        return transitions.cancel(tube, id, why);
    }

    /** Frees a unique key that is taken for a time. Returns false if it is not. */
    public boolean freeKey(StoredTube tube, String key) {
        return puts.freeKey(tube, key);
    }

    /** Removes some unique keys whose time is over; returns their number. Callers are never in a transaction. */
    public int removeOldKeys(int max) {
        return puts.removeOldKeys(max);
    }

    /** Lets a sub-queue go on behind the failed task that holds it. Returns false if no task holds it. */
    public boolean letGo(StoredTube tube, String utube) {
        return transitions.letGo(tube, utube);
    }

    /** Applies a change to each of these tasks that a session holds. */
    public Transitioned applyToSession(StoredTube tube, Change change, UUID session, Collection<Long> ids) {
        return transitions.applyToSession(tube, change, session, ids);
    }

    /**
     * Applies a change to all tasks in the states that it is from.
     *
     * @param withTasks true to return the tasks as they were, if the change removes them
     * @return one result per state; it has ids only of tasks that still exist
     */
    public List<Transitioned> applyToAll(StoredTube tube, Change change, boolean withTasks) {
        return change.transition() == Transition.TRUNCATE
                ? truncation.truncate(tube, change.transition(), withTasks)
                : List.of(transitions.applyToTaken(tube, change));
    }

    /**
     * Runs a change and the read of its result in one transaction: the caller's, or a new one. No other transaction
     * changes the changed tasks before the read.
     */
    public <T> T together(Supplier<T> calls) {
        return jdbc.together(calls);
    }

    /**
     * Returns the tasks of a range, in its order. The tasks of other tubes than these count, but are not returned.
     *
     * @param names the names of the tubes by their ids
     */
    public ScanResult scan(Scan scan, Map<Integer, String> names) {
        return scans.scan(scan, names);
    }

    /**
     * Looks for changes that a thread waits for. A PAUSED tube has no task to take.
     *
     * @param takers the tubes to check for a task to take
     * @param putters the tubes to check for a free slot. A database has slots only for tubes with a capacity
     */
    public Poll poll(Collection<Integer> takers, Collection<Integer> putters) {
        return reads.poll(takers, putters);
    }

    /**
     * Returns the kinds of failures that tasks have, those of the most tasks first. The counts are exact. The
     * cost depends on the number of failed tasks, not on {@code most}.
     *
     * @param most the most kinds to return
     * @param also kinds to return besides, if tasks have them, wherever they are in that order
     */
    public List<FailureGroup> failureGroups(int most, Collection<Fingerprint> also) {
        return groups.largest(most, also);
    }

    /** Returns the reads of tasks by their ids, states and tubes. */
    public TaskReads reads() {
        return reads;
    }

    /** Returns the reads for those who operate TaskTube. */
    public Reports reports() {
        return reports;
    }

    /** Returns the histories of tasks. */
    public Histories histories() {
        return histories;
    }

    /**
     * Restores the rows of kinds of failures that tasks have, and removes rows that no task has needed for 8 days.
     * Reads some hundred kinds, and one task of each. Callers are never in a transaction.
     */
    public void checkFailureKinds() {
        kinds.check();
    }

    /**
     * Adds some tasks to the index of a tube's searchable fields, those that were put before their declaration. Another
     * server may do it at the same time. Callers are never in a transaction.
     *
     * @param margin the time after which each server that is up knows the tube's searchable fields
     */
    public IndexStep completeIndex(StoredTube tube, Duration margin) {
        return fieldUpkeep.complete(tube, margin);
    }

    /**
     * Removes some rows of indexes that no search needs. Reads a bounded part of the indexes, the next one each time.
     * Callers are never in a transaction.
     *
     * @return whether more may be left
     */
    public boolean cleanIndexes() {
        return fieldUpkeep.clean();
    }

    /**
     * Removes tasks of tubes that no longer exist. A put that commits during the drop of its tube leaves such tasks. In
     * PostgreSQL this reads about one row per tube, in H2 all tasks. Callers are never in a transaction.
     *
     * @return the number of removed tasks
     */
    public int removeOrphans() {
        return orphans.remove();
    }

    /**
     * Gives each tube with a capacity the free slots that it lacks, takes those that it has too many, and marks
     * sub-queues without a head: after a transaction that ended within an operation, or a crash of the database that
     * has emptied the temporary tubes. Reads all tasks of such tubes, from indexes. Callers are never in a transaction.
     */
    public void complete() {
        orphans.complete();
    }

    /**
     * Applies due transitions, to some hundred tasks at most.
     *
     * @param observed whether the swept tasks of a tube are to be returned as they were; asked when they are locked
     */
    public Sweep sweep(IntPredicate observed) {
        return sweeps.sweep(observed);
    }

    /** Takes tasks with a random token. */
    public List<ClaimedTask> claim(StoredTube tube, Holder holder, OrderKey after, int max) {
        long token = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        return claim(tube, holder, token, ClaimRange.of(after, max));
    }

    /** Returns the kinds of failures that most tasks have. */
    public List<FailureGroup> failureGroups(int most) {
        return failureGroups(most, List.of());
    }
}
