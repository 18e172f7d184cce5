package org.tasktube.admin;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.tasktube.TakeLimits;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;

/**
 * The reason why a task is not worked on, or not done yet. All times are the database's clock.
 *
 * @param tube the name of the tube
 * @param task the id of the task
 * @param state the state of the task; empty for {@link Reason#ADAPTER_NOT_RUNNING}
 * @param reason the first reason that holds
 * @param sentence the reason as one sentence, with the names and numbers of the other components
 * @param since the time since which the reason holds: of the take, or of the pause; else empty
 * @param until the time at which the reason ends by itself: of the delay, the ttr, the ttl, or the kept result; else
 *     empty
 * @param utube the sub-queue of the task; empty for none
 * @param before the tasks that come before it; empty unless the task is READY
 * @param heldBy the task that has failed and holds its sub-queue, in a tube of strict order: this one, or the one that it
 *     waits for; else empty
 * @param holder the holder of the task, or of the task of its sub-queue that is {@link Position#first()}; empty if that
 *     is not TAKEN
 * @param bean the bean of this server that works on the task, has it claimed ahead, or is hindered; else empty
 * @param pause the pause of the tube; empty unless it is PAUSED
 * @param failure the last failed delivery of the task, without its trace; empty if it has none
 * @param now the time of this answer
 */
public record WaitingTask(
        String tube,
        long task,
        Optional<TaskState> state,
        Reason reason,
        String sentence,
        Optional<Instant> since,
        Optional<Instant> until,
        Optional<String> utube,
        Optional<Position> before,
        OptionalLong heldBy,
        Optional<Holder> holder,
        Optional<String> bean,
        Optional<Pause> pause,
        Optional<TaskFailure> failure,
        Instant now) {

    /**
     * The reasons, in the order in which they are checked. {@link #BEHIND_IN_SUB_QUEUE} is checked before
     * {@link #NO_CONSUMER} only if a task of the sub-queue is TAKEN or has failed, else after {@link #CONSUMERS_HINDERED}.
     */
    public enum Reason {
        /** The adapter is not RUNNING on this server, so that nothing is known of the task. */
        ADAPTER_NOT_RUNNING,
        /** The task is DONE, and its result is kept. */
        DONE,
        /** The task is BURIED. A kick, a dig or a delete ends that. */
        BURIED,
        /** A session holds the task. If a bean of this server works on it, the bean is named. */
        TAKEN,
        /** The task is TAKEN ahead for a bean of this server, which has not begun it. */
        CLAIMED_AHEAD,
        /** The delay of the task is not over. */
        DELAYED,
        /** Tasks come before it that have not ended, by {@link org.tasktube.PutOptions#after}. */
        AFTER,
        /** The ttl of the task is over. No take gets it, and the next sweep removes it. */
        EXPIRED,
        /** The tube is PAUSED. */
        TUBE_PAUSED,
        /**
         * An open transaction has locked the task, for instance a take that is not committed. Known in PostgreSQL.
         */
        LOCKED,
        /**
         * The task is in a sub-queue behind a task that is TAKEN, that comes before it, or that has failed in a tube of
         * strict order.
         */
        BEHIND_IN_SUB_QUEUE,
        /** As many tasks of the tube are TAKEN, or were taken in its period, as its {@link TakeLimits} let. */
        LIMITED,
        /**
         * No bean and no take waits for the tube on this server, and no server holds a task of it. A consumer of
         * another server may wait for the tube, which is not known here.
         */
        NO_CONSUMER,
        /** Something hinders the beans of this server, and no other server holds a task of the tube. */
        CONSUMERS_HINDERED,
        /** The task is the next one of its sub-queue. The next take of the tube makes it available. */
        NEXT_IN_SUB_QUEUE,
        /** Other tasks come before the task. */
        BEHIND,
        /** The task is the next one. A take gets it at any moment. */
        NEXT
    }

    /**
     * The tasks that come before a task, in the tube or in its sub-queue.
     *
     * @param count their number, at most {@value TaskAdmin#MAX_BEFORE}
     * @param isMore true if there are more
     * @param first the id of the first of them: in a sub-queue the TAKEN task, or the next to be taken
     */
    public record Position(int count, boolean isMore, OptionalLong first) {}

    /**
     * The holder of a TAKEN task.
     *
     * @param task the id of the task
     * @param server the name of the server
     * @param session the session
     * @param since the time of the take
     * @param until the end of its ttr; empty for never
     */
    public record Holder(long task, String server, UUID session, Instant since, Optional<Instant> until) {}

    /**
     * The pause of a tube.
     *
     * @param by the user or the server that paused it
     * @param since the time of the pause
     * @param reason the given reason
     */
    public record Pause(String by, Instant since, String reason) {}
}
