package org.tasktube.node;

import jakarta.enterprise.concurrent.CronTrigger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
import org.tasktube.Schedule;

/**
 * The times of a schedule's fires, each after the one before. Jakarta Concurrency parses the expression. If the hour is
 * {@code *}, it also computes the times. Otherwise it would skip a fire in the gap of a clock's change, and give one in
 * the overlap twice: then the times are computed as if by a clock that never changes, and each is put into the zone.
 */
final class FireTimes {

    private static final int FIELDS_WITH_SECONDS = 6;

    /** How far back the latest missed fire is looked for one by one. */
    private static final Duration LOOK_BACK = Duration.ofDays(8);

    private final Schedule schedule;

    private FireTimes(Schedule schedule) {
        this.schedule = schedule;
    }

    /**
     * Returns the times of a schedule.
     *
     * @throws IllegalArgumentException if its expression is none, or has no time after that one
     */
    static FireTimes checked(Schedule schedule, Instant after) {
        FireTimes times = new FireTimes(schedule);
        try {
            times.next(after, after);
            return times;
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new IllegalArgumentException(
                    "the cron expression '" + schedule.cron().orElseThrow() + "' of schedule '" + schedule.name()
                            + "' has no next time: " + e.getMessage()
                            + "; set minute, hour, day of the month, month and day of the week, such as 0 3 * * MON-FRI",
                    e);
        }
    }

    static FireTimes of(Schedule schedule) {
        return new FireTimes(schedule);
    }

    /**
     * Returns the first time after another one.
     *
     * @param anchor a time of the schedule, from which the periods count
     */
    Instant next(Instant anchor, Instant after) {
        if (schedule.period().isPresent()) {
            Duration period = schedule.period().get();
            long past = Duration.between(anchor, after).toMillis() / period.toMillis();
            Instant last = anchor.plusMillis(past * period.toMillis());
            return last.isAfter(after) ? last : last.plus(period);
        }
        String expression = schedule.cron().orElseThrow();
        List<String> fields = List.of(expression.strip().split("\\s+", -1));
        String hour = fields.size() < 2 ? "" : fields.get(fields.size() == FIELDS_WITH_SECONDS ? 2 : 1);
        return hour.equals("*") ? byInstants(expression, after) : byLocalTime(expression, after);
    }

    private Instant byInstants(String expression, Instant after) {
        return new Cron(expression, schedule.zone())
                .after(after.atZone(schedule.zone()))
                .toInstant();
    }

    private Instant byLocalTime(String expression, Instant after) {
        Cron cron = new Cron(expression, ZoneOffset.UTC);
        ZonedDateTime local = LocalDateTime.ofInstant(after, schedule.zone()).atZone(ZoneOffset.UTC);
        Instant next;
        do {
            local = cron.after(local);
            // In a gap it comes later by the length of that; in an overlap it is the first of the two
            next = local.toLocalDateTime().atZone(schedule.zone()).toInstant();
        } while (!next.isAfter(after));
        return next;
    }

    /** Returns a time of the schedule and those after it, so many in all. */
    List<Instant> upcoming(Instant first, int count) {
        return Stream.iterate(first, time -> next(first, time)).limit(count).toList();
    }

    /** Returns the latest time up to now, from one that is due. */
    Instant latest(Instant due, Instant now) {
        Instant latest = due;
        if (Duration.between(due, now).compareTo(LOOK_BACK) > 0) {
            Instant near = next(due, now.minus(LOOK_BACK));
            latest = near.isAfter(now) ? due : near;
        }
        for (Instant next = next(due, latest); !next.isAfter(now); next = next(due, next)) {
            latest = next;
        }
        return latest;
    }

    /** Gives access to the computation, which takes the time itself for the next one. */
    private static final class Cron extends CronTrigger {

        Cron(String expression, ZoneId zone) {
            super(expression, zone);
        }

        ZonedDateTime after(ZonedDateTime time) {
            return next(time.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1));
        }
    }
}
