package org.tasktube.tube;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tasktube.DataTooLargeException;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.session.CurrentDelivery;
import org.tasktube.spi.Position;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Transition;

/**
 * The tasks of a put, ready for a store. An application sets some of the options of a put. Those that it does not set
 * come from the tube's definition, and an option that the tube's type does not have is refused here, before anything
 * is sent to the database.
 */
record PutPlan(String tube, List<NewTask> tasks, List<PutOptions> options) {

    /**
     * Returns one task of a put, with all that a store writes.
     *
     * @throws org.tasktube.UnsupportedOptionException if the tube's type has no such option
     * @throws DataTooLargeException if the data has more than {@code maxDataSize} bytes
     */
    static NewTask of(
            TubeDefinition tube,
            TubeType type,
            int maxDataSize,
            TaskData data,
            PutOptions options,
            Optional<String> uniqueKey) {
        type.check(tube.name(), options);
        checkSize(tube.name(), data, maxDataSize);
        Duration delay = options.delay().orElse(tube.delay());
        boolean waits = !options.order().after().isEmpty();
        Optional<Duration> ttl = options.ttl().or(tube::ttl);
        // The default ttr is the tube's, else the ttl; the delay adds to the ttl
        Optional<Duration> ttr = options.ttr().or(tube::ttr).or(() -> ttl);
        Optional<Duration> expiry = waits ? ttl : ttl.map(delay::plus);
        if (options.uniqueFor().isPresent() && uniqueKey.isEmpty()) {
            throw new IllegalArgumentException("uniqueFor "
                    + options.uniqueFor().get() + " is set for a put without a key; put by putUnique, or leave it out");
        }
        if (waits && options.delay().isPresent()) {
            throw new IllegalArgumentException("delay " + options.delay().get()
                    + " is set for a task that comes after others, and is READY when they have ended; leave it out");
        }
        if (waits && options.urgent()) {
            throw new IllegalArgumentException("an urgent task comes after others, and cannot go ahead when they have"
                    + " ended; leave one of them out");
        }
        boolean delayed = waits || delay.toMillis() > 0;
        boolean urgent = options.urgent() && !delayed;
        if (urgent && options.pri().isPresent()) {
            throw new IllegalArgumentException("pri " + options.pri().getAsInt()
                    + " is set for an urgent task, which goes ahead of every pri; leave one of them out");
        }
        return new NewTask(
                delayed ? TaskState.DELAYED : TaskState.READY,
                urgent ? 0 : options.pri().orElse(tube.pri()),
                urgent ? Position.first() : type.position(tube.name(), data, options),
                waits ? Optional.empty() : delayed ? Optional.of(delay) : expiry,
                expiry,
                ttr,
                options.utube(),
                uniqueKey,
                options.headers(),
                data,
                CurrentDelivery.task(),
                options.uniqueFor());
    }

    static void checkSize(String tube, TaskData data, int maxDataSize) {
        if (data.size() > maxDataSize) {
            throw new DataTooLargeException(tube, data.size(), maxDataSize);
        }
    }

    /** Returns a task as it is with this id. */
    static Task task(String tube, long id, NewTask task) {
        return new Task(id, tube, task.state(), task.pri(), 0, 0, task.utube(), task.headers(), task.data());
    }

    /** Adds the put of these ids to the effects. */
    AfterCommit done(List<Long> ids, AfterCommit effects) {
        for (int i = 0; i < tasks.size(); i++) {
            NewTask task = tasks.get(i);
            boolean isReady = task.state() == TaskState.READY;
            Transition transition = !isReady
                    ? Transition.PUT_DELAYED
                    : options.get(i).urgent() ? Transition.PUT_URGENT : Transition.PUT;
            effects.put(transition, task(tube, ids.get(i), task), task.untilEvent(), key(task, ids.get(i)));
        }
        return effects;
    }

    /** Returns the position of a new task, if it is the last one of its pri. */
    private static Optional<OrderKey> key(NewTask task, long id) {
        return task.state() == TaskState.READY && task.position().end() == Position.End.LAST
                ? Optional.of(new OrderKey(task.pri(), id, id))
                : Optional.empty();
    }
}
