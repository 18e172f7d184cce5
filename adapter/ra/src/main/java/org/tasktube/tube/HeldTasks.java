package org.tasktube.tube;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.session.Session;
import org.tasktube.store.Holder;
import org.tasktube.store.Moved;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;
import org.tasktube.store.Transition;

/** What the holder of a task can do with it. Each answers false if the session does not hold it by that taking. */
public final class HeldTasks {

    private final StoredTube tube;
    private final TubeContext context;
    private final TubeRuntime runtime;

    HeldTasks(StoredTube tube, TubeContext context, TubeRuntime runtime) {
        this.tube = tube;
        this.context = context;
        this.runtime = runtime;
    }

    /** Deletes a task, whose work is done. */
    public boolean ack(Session session, Task task) {
        boolean acked = store().ack(tube, holder(session), task);
        if (acked) {
            runtime.afterCommit(acked(session, List.of(task)));
        } else {
            session.holdsNoMore(task);
        }
        return acked;
    }

    boolean ackAll(Session session, Collection<Task> tasks) {
        boolean acked = store().ackAll(tube, holder(session), tasks);
        if (acked) {
            runtime.afterCommit(acked(session, List.copyOf(tasks)));
        }
        return acked;
    }

    private AfterCommit acked(Session session, List<Task> tasks) {
        List<Long> ids = tasks.stream().map(Task::id).toList();
        return effects()
                .letGo(session, tasks)
                .moved(Transition.ACK, TaskState.TAKEN, ids, () -> tasks, Optional.empty());
    }

    boolean done(Session session, Task task, TaskResult result) {
        PutPlan.checkSize(tube.name(), result.data(), context.maxDataSize());
        return move(session, task, Transition.ACK_RESULT, () -> store().done(tube, holder(session), task, result));
    }

    boolean release(Session session, Task task, ReleaseOptions options) {
        context.drivers().of(tube.definition().type()).check(tube.name(), options);
        Duration delay = options.delay().orElse(Duration.ZERO);
        Transition transition = delay.toMillis() > 0 ? Transition.RELEASE_DELAYED : Transition.RELEASE;
        return move(
                session, task, transition, () -> store().release(tube, holder(session), task, delay, options.ttl()));
    }

    boolean requeue(Session session, Task task) {
        return move(session, task, Transition.REQUEUE, () -> store().requeue(tube, holder(session), task));
    }

    boolean bury(Session session, Task task) {
        return move(session, task, Transition.BURY, () -> store().bury(tube, holder(session), task));
    }

    /** Gives back, or buries, a task whose delivery failed: buried if there is no delay to try again after. */
    public boolean fail(Session session, Task task, TaskFailure failure, Optional<Duration> delay) {
        Transition transition = delay.map(
                        later -> later.toMillis() > 0 ? Transition.RELEASE_DELAYED : Transition.RELEASE)
                .orElse(Transition.BURY);
        return move(session, task, transition, () -> store().fail(tube, holder(session), task, failure, delay));
    }

    private boolean move(Session session, Task task, Transition transition, Supplier<Optional<Moved>> change) {
        Optional<Moved> moved = change.get();
        moved.ifPresent(done -> runtime.afterCommit(effects()
                .letGo(session, List.of(task))
                .moved(transition, TaskState.TAKEN, List.of(task.id()), () -> List.of(task), done.untilEvent())));
        return moved.isPresent();
    }

    boolean touch(Session session, Task task, Duration increment) {
        return touched(Transition.TOUCH, task, store().touch(tube, holder(session), task, increment));
    }

    boolean heartbeat(Session session, Task task) {
        return touched(Transition.HEARTBEAT, task, store().heartbeat(tube, holder(session), task));
    }

    private boolean touched(Transition transition, Task task, Optional<Moved> moved) {
        moved.ifPresent(done -> runtime.afterCommit(effects()
                .moved(transition, TaskState.TAKEN, List.of(task.id()), () -> List.of(task), done.untilEvent())));
        return moved.isPresent();
    }

    /** Gives back what was taken but not begun; these attempts do not count. */
    public void returnUnstarted(Session session, Collection<Task> tasks) {
        if (tasks.isEmpty()) {
            return;
        }
        List<Long> given = store().giveBack(tube, holder(session), tasks);
        Set<Long> ids = Set.copyOf(given);
        List<Task> told = tasks.stream()
                .filter(task -> ids.contains(task.id()))
                .map(HeldTasks::notAttempted)
                .toList();
        runtime.afterCommit(
                effects().released(Transition.RETURN_UNSTARTED, given, told).letGo(session, tasks));
    }

    private static Task notAttempted(Task task) {
        return new Task(
                task.id(), task.tube(), TaskState.READY, task.pri(), task.attempts() - 1, 0, task.utube(), task.data());
    }

    private AfterCommit effects() {
        return new AfterCommit(runtime);
    }

    private TaskStore store() {
        return context.server().tasks(tube);
    }

    private Holder holder(Session session) {
        return new Holder(session.id(), context.server().number());
    }
}
