package org.tasktube.admin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.tasktube.Schedule;

/**
 * A schedule, and what became of its fires. All times are by the database's clock.
 *
 * @param schedule the schedule
 * @param next the time of the next fire; while it is paused, that of the fire that it would have had next
 * @param upcoming the times of the next fires, the one in {@code next} first: {@value #UPCOMING} of them
 * @param last the time of the last fire that put a task
 * @param lastTask the id of that task
 * @param fires the number of fires that put a task
 * @param skipped the number of fires that put none
 * @param lastSkip the last one of these
 * @param pause who has paused it; empty if it runs
 */
public record ScheduleStatus(
        Schedule schedule,
        Instant next,
        List<Instant> upcoming,
        Optional<Instant> last,
        OptionalLong lastTask,
        long fires,
        long skipped,
        Optional<Skip> lastSkip,
        Optional<Pause> pause) {

    /** The number of fires that are told in advance. */
    public static final int UPCOMING = 5;

    /** Why a fire put no task. */
    public enum SkipReason {
        /** It was late by more than {@link Schedule#skipIfLateBy}. */
        LATE,
        /** The task of the fire before was READY, DELAYED or TAKEN. */
        OVERLAP,
        /** The tube was not there. */
        NO_TUBE,
        /** The tube was DRAINING. */
        DRAINING,
        /** The tube was full. */
        FULL,
        /** The tube takes no such task any more: its log has the reason. */
        REFUSED
    }

    /**
     * A fire that put no task.
     *
     * @param at the time of the fire
     */
    public record Skip(SkipReason reason, Instant at) {}

    /**
     * A pause.
     *
     * @param by the user who paused it
     * @param at the time of the call
     * @param reason the reason that the user gave
     */
    public record Pause(String by, Instant at, String reason) {}
}
