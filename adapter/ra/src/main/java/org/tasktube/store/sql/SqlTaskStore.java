package org.tasktube.store.sql;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.store.Change;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Histories;
import org.tasktube.store.Holder;
import org.tasktube.store.IndexStep;
import org.tasktube.store.NewTask;
import org.tasktube.store.Poll;
import org.tasktube.store.Put;
import org.tasktube.store.Reports;
import org.tasktube.store.Scan;
import org.tasktube.store.ScanResult;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TaskReads;
import org.tasktube.store.TaskStore;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;

/** Keeps tasks in H2 or PostgreSQL. Each kind of operation has a class of its own. */
final class SqlTaskStore implements TaskStore {

    private final Jdbc jdbc;
    private final Entities entities;
    private final Puts puts;
    private final FieldRows fields;
    private final FieldUpkeep fieldUpkeep;
    private final Claims claims;
    private final Transitions transitions;
    private final Truncation truncation;
    private final Sweeps sweeps;
    private final Orphans orphans;
    private final Reads reads;
    private final FailureKinds kinds;
    private final FailureGroups groups;
    private final Scans scans;
    private final SqlReports reports;
    private final SqlHistories histories;

    SqlTaskStore(
            Jdbc jdbc,
            Tables tables,
            boolean temporary,
            Entities entities,
            KnownKinds known,
            CachedHistoryOptions history) {
        Dialect dialect = temporary ? tables.temporary() : tables.durable();
        HistoryMoves moves = new HistoryMoves(dialect, history);
        this.jdbc = jdbc;
        this.entities = entities;
        this.puts = new Puts(jdbc, dialect, new Tubes(jdbc, tables, entities, history)::mode, moves);
        this.fields = new FieldRows(jdbc, dialect.statements(), history::latest);
        this.fieldUpkeep = new FieldUpkeep(jdbc, dialect, fields);
        this.claims = new Claims(jdbc, dialect, moves);
        this.kinds = new FailureKinds(jdbc, dialect, known);
        this.groups = new FailureGroups(jdbc, dialect);
        this.transitions = new Transitions(jdbc, dialect, kinds, moves);
        this.truncation = new Truncation(jdbc, dialect, moves);
        this.sweeps = new Sweeps(jdbc, dialect, moves);
        this.orphans = new Orphans(jdbc, dialect.statements());
        this.reads = new Reads(jdbc, dialect, entities, temporary ? "TemporaryTask" : "Task");
        this.scans = new Scans(jdbc, dialect);
        this.reports = new SqlReports(jdbc, dialect, entities);
        this.histories = new SqlHistories(jdbc, dialect, history);
    }

    @Override
    public void close() {
        entities.close();
    }

    @Override
    public Put put(StoredTube tube, List<NewTask> tasks) {
        return fields.put(tube, tasks, () -> puts.put(tube, tasks));
    }

    @Override
    public Put putFor(StoredTube tube, NewTask task, Holder holder, long token, int mostBefore) {
        return fields.put(tube, List.of(task), () -> puts.putFor(tube, task, holder, token, mostBefore));
    }

    @Override
    public Optional<Transitioned> replace(StoredTube tube, long id, TaskState from, NewTask task) {
        return fields.replace(tube, id, task.data(), () -> transitions.replace(tube, id, from, task));
    }

    @Override
    public List<ClaimedTask> claim(StoredTube tube, Holder holder, long token, ClaimRange range) {
        return claims.claim(tube, holder, token, range);
    }

    @Override
    public void promoteHeads(StoredTube tube) {
        claims.promoteHeads(tube);
    }

    @Override
    public Optional<Transitioned> apply(StoredTube tube, Change change, Holder holder, Task task) {
        return transitions.apply(tube, change, holder, task);
    }

    @Override
    public Optional<Transitioned> apply(StoredTube tube, Change change, long id) {
        return transitions.apply(tube, change, id);
    }

    @Override
    public Transitioned applyToHeld(StoredTube tube, Change change, Holder holder, Collection<Task> tasks) {
        return transitions.applyToHeld(tube, change, holder, tasks);
    }

    @Override
    public Transitioned ackUnlocked(StoredTube tube, Holder holder, Collection<Task> tasks) {
        return transitions.ackUnlocked(tube, holder, tasks);
    }

    @Override
    public Optional<Transitioned> applyToAllHeld(
            StoredTube tube, Change change, Holder holder, Collection<Task> tasks) {
        return transitions.applyToAllHeld(tube, change, holder, tasks);
    }

    @Override
    public Transitioned applyToFirst(StoredTube tube, Change change, int max) {
        return transitions.applyToFirst(tube, change, max);
    }

    @Override
    public Transitioned applyToSession(StoredTube tube, Change change, UUID session, Collection<Long> ids) {
        return transitions.applyToSession(tube, change, session, ids);
    }

    @Override
    public List<Transitioned> applyToAll(StoredTube tube, Change change, boolean withTasks) {
        return change.transition() == Transition.TRUNCATE
                ? truncation.truncate(tube, change.transition(), withTasks)
                : List.of(transitions.applyToTaken(tube, change));
    }

    @Override
    public <T> T together(Supplier<T> calls) {
        return jdbc.together(calls);
    }

    @Override
    public ScanResult scan(Scan scan, Map<Integer, String> names) {
        return scans.scan(scan, names);
    }

    @Override
    public Poll poll(Collection<Integer> takers, Collection<Integer> putters) {
        return reads.poll(takers, putters);
    }

    @Override
    public List<FailureGroup> failureGroups(int most, Collection<Fingerprint> also) {
        return groups.largest(most, also);
    }

    @Override
    public TaskReads reads() {
        return reads;
    }

    @Override
    public Reports reports() {
        return reports;
    }

    @Override
    public Histories histories() {
        return histories;
    }

    @Override
    public void checkFailureKinds() {
        kinds.check();
    }

    @Override
    public IndexStep completeIndex(StoredTube tube, Duration margin) {
        return fieldUpkeep.complete(tube, margin);
    }

    @Override
    public boolean cleanIndexes() {
        return fieldUpkeep.clean();
    }

    @Override
    public int removeOrphans() {
        return orphans.remove();
    }

    @Override
    public Sweep sweep(Set<Integer> observed) {
        return sweeps.sweep(observed);
    }
}
