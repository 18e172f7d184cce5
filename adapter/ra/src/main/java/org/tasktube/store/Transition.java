package org.tasktube.store;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.tasktube.TaskState;
import org.tasktube.TubeEvent;

/**
 * The transition table: every way a task comes, changes its state, and goes. The table in docs/states.md and the cases of
 * the state-table test are made from it.
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
    /** Tasks that were claimed ahead and not begun: the attempt does not count. */
    RETURN_UNSTARTED(TubeEvent.RELEASE, By.HOLDER, taken(), TaskState.READY, Deadline.TTL),

    BURY_UNHELD(TubeEvent.BURY, By.ID, unheld(), TaskState.BURIED, Deadline.TTL),
    DIG(TubeEvent.DIG, By.ID, EnumSet.of(TaskState.BURIED), TaskState.READY, Deadline.TTL),
    DELETE(TubeEvent.DELETE, By.ID, EnumSet.allOf(TaskState.class), null, Deadline.NONE),
    KICK(TubeEvent.KICK, By.TUBE, EnumSet.of(TaskState.BURIED), TaskState.READY, Deadline.TTL),
    RELEASE_ALL(TubeEvent.RELEASE, By.TUBE, taken(), TaskState.READY, Deadline.TTL),
    TRUNCATE(TubeEvent.TRUNCATE, By.TUBE, EnumSet.allOf(TaskState.class), null, Deadline.NONE),

    DELAY_OVER(TubeEvent.DELAY, By.CLOCK, EnumSet.of(TaskState.DELAYED), TaskState.READY, Deadline.TTL),
    TTR_OVER(TubeEvent.TTR, By.CLOCK, taken(), TaskState.READY, Deadline.TTL),
    TTL_OVER(TubeEvent.TTL, By.CLOCK, EnumSet.of(TaskState.READY, TaskState.BURIED), null, Deadline.NONE),
    RESULT_TTL_OVER(TubeEvent.TTL, By.CLOCK, EnumSet.of(TaskState.DONE), null, Deadline.NONE),

    SESSION_END(TubeEvent.RELEASED_BY_SESSION, By.ADAPTER, taken(), TaskState.READY, Deadline.TTL),
    SERVER_END(TubeEvent.RELEASED_AT_START, By.ADAPTER, taken(), TaskState.READY, Deadline.TTL);

    /** The one that may cause a transition. */
    public enum By {
        /** A put. */
        PRODUCER,
        /** The session of the very take that the task was taken by. */
        HOLDER,
        /** Anybody who names the task. */
        ID,
        /** Anybody, for the tasks of a tube that are in such a state. */
        TUBE,
        /** A deadline that has passed. */
        CLOCK,
        /** The adapter, when the holder is gone. */
        ADAPTER
    }

    /** The deadline that the task has after a transition. */
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

    /** Returns what listeners are told and statistics count. */
    public TubeEvent event() {
        return event;
    }

    public By by() {
        return by;
    }

    /** Returns the states that a task can be in before, in their order; empty for a task that comes. */
    public Set<TaskState> from() {
        return from;
    }

    /** Returns the state of the task after it; empty for a task that goes. */
    public Optional<TaskState> to() {
        return to;
    }

    public Deadline deadline() {
        return deadline;
    }

    /** Returns the transition by which a deadline ends a state. */
    public static Transition atDeadline(TaskState from) {
        return switch (from) {
            case TAKEN -> TTR_OVER;
            case DELAYED -> DELAY_OVER;
            case DONE -> RESULT_TTL_OVER;
            case READY, BURIED -> TTL_OVER;
        };
    }

    /** Returns whether statistics count the event: a replaced task is none more. */
    public boolean isCounted() {
        return this != REPLACE && this != REPLACE_DELAYED;
    }

    /** Returns whether the task's work has ended by it, which {@code TubeStatistics.done} counts. */
    public boolean endsTask() {
        return switch (this) {
            case ACK, ACK_RESULT, DELETE, TTL_OVER -> true;
            default -> false;
        };
    }

    /** Returns whether the next task of the sub-queue may have its turn: a READY or TAKEN task held it back. */
    public boolean unblocks(TaskState before) {
        return (before == TaskState.READY || before == TaskState.TAKEN)
                && to.filter(state -> state == TaskState.TAKEN).isEmpty();
    }

    /** Returns whether the task's place in a tube with a capacity is free after it. */
    public boolean freesCapacity() {
        return to.isEmpty();
    }

    /** Returns the state that listeners see in the task. A task that goes has the state it had, an acked one is DONE. */
    public TaskState told(TaskState before) {
        return this == ACK ? TaskState.DONE : to.orElse(before);
    }
}
