package org.tasktube.console.json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.tasktube.Schedule;
import org.tasktube.admin.ScheduleStatus;
import org.tasktube.admin.ScheduleStatus.Pause;
import org.tasktube.admin.ScheduleStatus.Skip;

/**
 * A schedule. A member without a value is absent.
 *
 * @param name the name
 * @param tube the tube that gets its tasks
 * @param cron the cron expression
 * @param zone the time zone of the expression
 * @param period the time between two fires, in place of an expression
 * @param overlap whether a fire puts its task while that of the fire before has not ended
 * @param skipIfLateBy how late a fire can be before it is skipped
 * @param upcoming the times of the next fires
 * @param last the time of the last fire that put a task
 * @param lastTask the id of that task
 * @param fires the number of fires that put a task
 * @param skipped the number of fires that put none
 * @param skipReason why the last one of these put none
 * @param skipAt the time of that fire
 * @param pausedBy the user who has paused it
 * @param pausedSince the time since which it is paused
 * @param pausedReason the reason of the pause
 */
public record ScheduleView(
        String name,
        String tube,
        String cron,
        String zone,
        Duration period,
        boolean overlap,
        Duration skipIfLateBy,
        List<Instant> upcoming,
        Instant last,
        String lastTask,
        long fires,
        long skipped,
        String skipReason,
        Instant skipAt,
        String pausedBy,
        Instant pausedSince,
        String pausedReason) {

    /** All schedules, by their names. */
    public record All(List<ScheduleView> schedules) {}

    public static ScheduleView of(ScheduleStatus status) {
        Schedule schedule = status.schedule();
        Optional<Skip> skip = status.lastSkip();
        Optional<Pause> pause = status.pause();
        return new ScheduleView(
                schedule.name(),
                schedule.tube(),
                schedule.cron().orElse(null),
                schedule.cron().isPresent() ? schedule.zone().getId() : null,
                schedule.period().orElse(null),
                schedule.overlap(),
                schedule.skipIfLateBy().orElse(null),
                status.upcoming(),
                status.last().orElse(null),
                status.lastTask().isPresent() ? Long.toString(status.lastTask().getAsLong()) : null,
                status.fires(),
                status.skipped(),
                skip.map(each -> each.reason().name()).orElse(null),
                skip.map(Skip::at).orElse(null),
                pause.map(Pause::by).orElse(null),
                pause.map(Pause::at).orElse(null),
                pause.map(Pause::reason).orElse(null));
    }
}
