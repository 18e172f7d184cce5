package org.tasktube.node.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationState;
import org.tasktube.node.Settings;
import org.tasktube.node.TubeDirectory;
import org.tasktube.store.InName;
import org.tasktube.store.Peer;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredOperation;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transitioned;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Operations;
import org.tasktube.store.sql.Operations.Locked;
import org.tasktube.store.sql.Operations.Progress;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.tube.TubeEngine;

/**
 * Runs the batches of operations. A batch locks the row of the operation, reads the next tasks, changes those that
 * the act is for, and writes the progress, all in one transaction. So two servers that run the same operation for a
 * moment change each task once.
 */
final class OperationBatch {

    /** The most tasks per batch. */
    static final int MAX_SIZE = 500;

    private static final int MIN_SIZE = 10;

    /** The time for which a batch may lock tasks. After a longer one, the next batch is half as large. */
    private static final Duration MAX_LOCKS = Duration.ofMillis(100);

    /** The most tasks to try again at the end. Further locked tasks count as skipped. */
    private static final int MAX_DEFERRED = 10_000;

    /** The position of the second try. No position of a search begins so. */
    private static final String SECOND_TRY = "!";

    private final Settings settings;
    private final TubeDirectory directory;
    private int size = MAX_SIZE;

    OperationBatch(Settings settings, TubeDirectory directory) {
        this.settings = settings;
        this.directory = directory;
    }

    /**
     * The result of a batch, which is committed.
     *
     * @param isMore false if the operation has ended, or another server runs it
     * @param effects what the caller has to run
     */
    record Done(boolean isMore, List<Effect> effects) {}

    /** The effects of a batch on one tube. */
    record Effect(TubeEngine tube, Transitioned done) {}

    /** Runs the next batch of an operation that this server runs. */
    Done run(long id, int node, OpenStore store) {
        List<StoredTube> tubes = store.registry().tubes();
        Optional<Changes> made = store.tasks().together(() -> store.operations()
                .lock(id, node)
                .map(operation -> new Changes(store, node, operation, tubes).make()));
        made.ifPresent(Changes::adaptSize);
        return made.map(changes -> new Done(changes.isMore, changes.effects)).orElse(new Done(false, List.of()));
    }

    /** The changes of one batch. */
    private final class Changes {

        private final OpenStore store;
        private final int node;
        private final StoredOperation before;
        private final Operation operation;
        private final long id;
        private final Map<Integer, StoredTube> tubes = new HashMap<>();
        private final MatchingTasks matching;
        private final List<Effect> effects = new ArrayList<>();
        private final List<Long> deferred = new ArrayList<>();
        private boolean isMore = true;
        private boolean isExceeded;
        private long left;
        private long lockedAt;
        private long looked;
        private long changed;
        private long skipped;

        Changes(OpenStore store, int node, StoredOperation before, List<StoredTube> all) {
            this.store = store;
            this.node = node;
            this.before = before;
            operation = before.operation();
            id = operation.id();
            left = operation.expected().isLeast()
                    ? Long.MAX_VALUE
                    : operation.expected().tasks() - operation.changed();
            List<StoredTube> wanted = OperationPreviews.tubes(operation.filter(), all);
            wanted.forEach(tube -> tubes.put(tube.id(), tube));
            TaskMatch match = new TaskMatch(
                    operation.filter(),
                    wanted,
                    (tube, ids) -> tasks(tube).reads().tasks(tube, ids),
                    this::servers);
            matching = MatchingTasks.toChange(operation.act(), operation.filter(), wanted, match, store::tasks);
        }

        private TaskStore tasks(StoredTube tube) {
            return store.tasks(tube.definition().temporary());
        }

        private Map<Integer, String> servers() {
            return store.registry().peers(settings.nodeName(), settings.nodeTimeout(), settings.nodeTimeout()).stream()
                    .collect(Collectors.toMap(Peer::node, Peer::name));
        }

        Changes make() {
            String place = before.place().equals(SECOND_TRY) ? tryAgain() : goOn();
            boolean isDone = place.equals(SECOND_TRY) && deferred.isEmpty();
            if (isExceeded) {
                skipped += deferred.size();
                deferred.clear();
            }
            store.operations().progress(id, new Progress(looked, changed, skipped, place, deferred));
            if (isExceeded || isDone) {
                store.operations().end(id, node, isExceeded ? OperationState.STOPPED : OperationState.DONE);
                isMore = false;
            }
            return this;
        }

        /** Makes the next batch smaller if this one has locked tasks for too long. */
        void adaptSize() {
            if (lockedAt != 0) {
                long nanos = System.nanoTime() - lockedAt;
                if (nanos > MAX_LOCKS.toNanos()) {
                    size = Math.max(MIN_SIZE, size / 2);
                } else if (nanos < MAX_LOCKS.toNanos() / 2) {
                    size = Math.min(MAX_SIZE, size * 2);
                }
            }
        }

        private String goOn() {
            deferred.addAll(before.deferred());
            MatchingTasks.Part part = matching.after(before.place(), size);
            Set<Long> counted = Set.copyOf(before.deferred());
            // By id, because a task that moves between two reads is in this part twice; the later reading counts
            Map<Long, ScannedTask> tasks = new LinkedHashMap<>();
            // Tasks that were put later would keep the operation from its end, and deferred ones have their own end
            part.tasks().stream()
                    .filter(task -> task.meta().id() < id
                            && task.meta().id() <= operation.expected().upTo()
                            && !counted.contains(task.meta().id()))
                    .forEach(task -> tasks.put(task.meta().id(), task));
            for (Locked locked : change(tasks.values())) {
                looked += locked.ids().size() + locked.deferred().size() + locked.skipped();
                skipped += locked.skipped();
                int room = Math.min(locked.deferred().size(), MAX_DEFERRED - deferred.size());
                deferred.addAll(locked.deferred().subList(0, room));
                skipped += locked.deferred().size() - room;
            }
            return part.next().orElse(SECOND_TRY);
        }

        private String tryAgain() {
            List<Long> some = before.deferred()
                    .subList(0, Math.min(size, before.deferred().size()));
            deferred.addAll(
                    before.deferred().subList(some.size(), before.deferred().size()));
            long changedBefore = changed;
            change(matching.still(some));
            skipped += some.size() - (changed - changedBefore);
            return SECOND_TRY;
        }

        /** Changes those of these tasks that the act is for. */
        private List<Locked> change(Collection<ScannedTask> tasks) {
            List<Locked> all = new ArrayList<>();
            Map<Integer, Map<TaskState, List<TaskMeta>>> groups = new HashMap<>();
            int unfit = 0;
            for (ScannedTask task : tasks) {
                TaskState state = task.meta().state();
                if (operation.act().from().contains(state)) {
                    groups.computeIfAbsent(task.tube(), key -> new EnumMap<>(TaskState.class))
                            .computeIfAbsent(state, key -> new ArrayList<>())
                            .add(task.meta());
                } else {
                    unfit++;
                }
            }
            all.add(new Locked(List.of(), List.of(), unfit));
            lockedAt = groups.isEmpty() ? 0 : System.nanoTime();
            groups.forEach(
                    (tube, states) -> states.forEach((state, metas) -> all.add(change(tubes.get(tube), state, metas))));
            return all;
        }

        /** Changes no more tasks than are left of the confirmed number. */
        private Locked change(StoredTube tube, TaskState state, List<TaskMeta> metas) {
            Locked fitting = store.operations().lock(id, tube, state, metas);
            int most = (int) Math.min(left, fitting.ids().size());
            isExceeded |= most < fitting.ids().size();
            left -= most;
            Locked locked = new Locked(fitting.ids().subList(0, most), fitting.deferred(), fitting.skipped());
            apply(tube, state, locked);
            return locked;
        }

        private void apply(StoredTube tube, TaskState state, Locked locked) {
            Operations operations = store.operations();
            if (!locked.ids().isEmpty()) {
                Optional<TubeEngine> engine = directory.byId(tube.id());
                boolean isListenedTo = engine.filter(TubeEngine::isListenedTo).isPresent();
                List<Task> former = isListenedTo ? tasks(tube).reads().tasks(tube, locked.ids()) : List.of();
                Transitioned done = InName.of(
                        operation.by(), () -> operations.apply(id, operation.act(), tube, state, locked.ids()));
                changed += done.count();
                List<Task> seen = isListenedTo && done.to().isPresent()
                        ? tasks(tube).reads().tasks(tube, locked.ids())
                        : former;
                Transitioned withTasks = new Transitioned(
                        done.transition(), done.from(), done.count(), done.ids(), seen, done.untilDeadline());
                engine.ifPresent(known -> effects.add(new Effect(known, withTasks)));
            }
        }
    }
}
