package org.tasktube.store;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.tasktube.History;
import org.tasktube.TaskState;
import org.tasktube.TubeEvent;

/**
 * The transition table: all ways in which a task is put, changes its state, and is removed. The table in docs/states.md
 * and the cases of the state-table test are generated from it.
 */
public enum Transition {
    PUT(TubeEvent.PUT, By.PRODUCER, Set.of(), TaskState.READY, Deadline.TTL),
    PUT_URGENT(TubeEvent.URGENT, By.PRODUCER, Set.of(), TaskState.READY, Deadline.TTL),
    PUT_DELAYED(TubeEvent.PUT, By.PRODUCER, Set.of(), TaskState.DELAYED, Deadline.DELAY),
    REPLACE(TubeEvent.PUT, By.PRODUCER, unheld(), TaskState.READY, Deadline.TTL),
    REPLACE_DELAYED(TubeEvent.PUT, By.PRODUCER, unheld(), TaskState.DELAYED, Deadline.DELAY),

    TAKE(TubeEvent.TAKE, By.TUBE, EnumSet.of(TaskState.READY), TaskState.TAKEN, Deadline.TTR),

    ACK(TubeEvent.ACK, By.HOLDER, taken(), null, Deadline.NONE),
    ACK_RESULT(TubeEvent.DONE, By.HOLDER, taken(), TaskState.DONE, Deadline.RESULT_TTL),
    RELEASE(TubeEvent.RELEASE, By.HOLDER, taken(), TaskState.READY, Deadline.TTL),
    RELEASE_DELAYED(TubeEvent.RELEASE, By.HOLDER, taken(), TaskState.DELAYED, Deadline.DELAY),
    REQUEUE(TubeEvent.REQUEUE, By.HOLDER, taken(), TaskState.READY, Deadline.TTL),
    BURY(TubeEvent.BURY, By.HOLDER, taken(), TaskState.BURIED, Deadline.TTL),
    TOUCH(TubeEvent.TOUCH, By.HOLDER, taken(), TaskState.TAKEN, Deadline.TTR),
    HEARTBEAT(TubeEvent.TOUCH, By.HOLDER, taken(), TaskState.TAKEN, Deadline.TTR),
    /** Returns prefetched tasks whose work has not begun. The attempt does not count. */
    RETURN_UNSTARTED(TubeEvent.RELEASE, By.HOLDER, taken(), TaskState.READY, Deadline.TTL),

    BURY_UNHELD(TubeEvent.BURY, By.ID, unheld(), TaskState.BURIED, Deadline.TTL),
    DIG(TubeEvent.DIG, By.ID, EnumSet.of(TaskState.BURIED), TaskState.READY, Deadline.TTL),
    DELETE(TubeEvent.DELETE, By.ID, EnumSet.allOf(TaskState.class), null, Deadline.NONE),
    /** Asks the holder to end its task. Any end of the taking but an ack then removes it. */
    CANCEL(TubeEvent.CANCEL, By.ID, taken(), TaskState.TAKEN, Deadline.TTR),
    KICK(TubeEvent.KICK, By.TUBE, EnumSet.of(TaskState.BURIED), TaskState.READY, Deadline.TTL),
    RELEASE_ALL(TubeEvent.RELEASE, By.TUBE, taken(), TaskState.READY, Deadline.TTL),
    TRUNCATE(TubeEvent.TRUNCATE, By.TUBE, EnumSet.allOf(TaskState.class), null, Deadline.NONE),

    DELAY_OVER(TubeEvent.DELAY, By.CLOCK, EnumSet.of(TaskState.DELAYED), TaskState.READY, Deadline.TTL),
    TTR_OVER(TubeEvent.TTR, By.CLOCK, taken(), TaskState.READY, Deadline.TTL),
    TTL_OVER(TubeEvent.TTL, By.CLOCK, EnumSet.of(TaskState.READY, TaskState.BURIED), null, Deadline.NONE),
    RESULT_TTL_OVER(TubeEvent.TTL, By.CLOCK, EnumSet.of(TaskState.DONE), null, Deadline.NONE),

    SESSION_END(TubeEvent.RELEASED_BY_SESSION, By.ADAPTER, taken(), TaskState.READY, Deadline.TTL),
    SERVER_END(TubeEvent.RELEASED_AT_START, By.ADAPTER, taken(), TaskState.READY, Deadline.TTL);

    /** The cause of a transition. */
    public enum By {
        /** A put. */
        PRODUCER,
        /** The session that holds the task, by the same taking. */
        HOLDER,
        /** Any caller that names the task's id. */
        ID,
        /** Any caller, for the tasks of a tube in such a state. */
        TUBE,
        /** A deadline that has passed. */
        CLOCK,
        /** The adapter, if the holder is gone. */
        ADAPTER
    }

    /** The deadline of the task after a transition. */
    public enum Deadline {
        NONE,
        TTL,
        DELAY,
        TTR,
        RESULT_TTL
    }

    private final TubeEvent event;
    private final By by;

    @SuppressWarnings("ImmutableEnumChecker") // it is made unmodifiable
    private final Set<TaskState> from;

    private final Optional<TaskState> to;
    private final Deadline deadline;

    Transition(TubeEvent event, By by, Set<TaskState> from, TaskState to, Deadline deadline) {
        this.event = event;
        this.by = by;
        this.from = from.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(from));
        this.to = Optional.ofNullable(to);
        this.deadline = deadline;
    }

    private static Set<TaskState> taken() {
        return EnumSet.of(TaskState.TAKEN);
    }

    private static Set<TaskState> unheld() {
        return EnumSet.of(TaskState.READY, TaskState.DELAYED);
    }

    /** Returns the event that listeners get and statistics count. */
    public TubeEvent event() {
        return event;
    }

    public By by() {
        return by;
    }

    /** Returns the states that a task can have before it, in their order; empty if it puts the task. */
    public Set<TaskState> from() {
        return from;
    }

    /** Returns the state of the task after it; empty if it removes the task. */
    public Optional<TaskState> to() {
        return to;
    }

    public Deadline deadline() {
        return deadline;
    }

    /** Returns the transition that the deadline of a state causes. */
    public static Transition atDeadline(TaskState from) {
        return switch (from) {
            case TAKEN -> TTR_OVER;
            case DELAYED -> DELAY_OVER;
            case DONE -> RESULT_TTL_OVER;
            case READY, BURIED -> TTL_OVER;
        };
    }

    /** Returns whether statistics count the event. A replacement is not counted, because it adds no task. */
    public boolean isCounted() {
        return this != REPLACE && this != REPLACE_DELAYED;
    }

    /** Returns whether it ends the task's work, which {@code TubeStatistics.endedSinceStart} counts. */
    public boolean endsTask() {
        return switch (this) {
            case ACK, ACK_RESULT, DELETE, TTL_OVER -> true;
            default -> false;
        };
    }

    /** Returns whether it is the ack of a task's holder. */
    public boolean isAck() {
        return this == ACK || this == ACK_RESULT;
    }

    /**
     * Returns whether the next task of the sub-queue may become the head, because a READY or TAKEN task no longer
     * blocks it.
     */
    public boolean unblocks(TaskState before) {
        return (before == TaskState.READY || before == TaskState.TAKEN)
                && to.filter(state -> state == TaskState.TAKEN).isEmpty();
    }

    /** Returns whether it frees the task's slot in a tube with a capacity. */
    public boolean freesCapacity() {
        return to.isEmpty();
    }

    /**
     * Returns the state of the task that listeners see. A removed task keeps its former state; an acked one is DONE.
     */
    public TaskState stateForListeners(TaskState before) {
        return this == ACK ? TaskState.DONE : to.orElse(before);
    }

    /** Returns whether the history of a tube has this transition. */
    public boolean isKept(History history, boolean hasFailure) {
        return switch (history) {
            case OFF -> false;
            case FAILURES -> hasFailure || isUnchosenEnd();
            case ALL -> true;
        };
    }

    /** Returns whether it ends a life or a taking without a choice of the holder. */
    private boolean isUnchosenEnd() {
        return this == TTR_OVER || this == TTL_OVER || this == SESSION_END || this == SERVER_END;
    }
}
