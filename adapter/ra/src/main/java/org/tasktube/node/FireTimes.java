package org.tasktube.node;

import jakarta.enterprise.concurrent.CronTrigger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.tasktube.Schedule;

/**
 * The times of a schedule's fires, each after the one before. Jakarta Concurrency parses the expression. If the hour is
 * {@code *}, it also computes the times. Otherwise it would skip a fire in the gap of a clock's change, and give one in
 * the overlap twice: then the times are computed as if by a clock that never changes, and each is put into the zone.
 */
final class FireTimes {

    private static final int FIELDS_WITH_SECONDS = 6;

    /** How far back the latest missed fire is looked for at first. */
    private static final Duration SHORTEST_LOOK = Duration.ofMinutes(2);

    private static final int LOOK_GROWS = 16;

    private final Optional<Duration> period;
    private final Optional<Cron> cron;
    private final ZoneId zone;
    private final boolean isLocal;

    private FireTimes(Schedule schedule) {
        period = schedule.period();
        zone = schedule.zone();
        isLocal = schedule.cron().filter(FireTimes::isLocal).isPresent();
        cron = schedule.cron().map(expression -> new Cron(expression, isLocal ? ZoneOffset.UTC : zone));
    }

    private static boolean isLocal(String expression) {
        List<String> fields = List.of(expression.strip().split("\\s+", -1));
        String hour = fields.size() < 2 ? "" : fields.get(fields.size() == FIELDS_WITH_SECONDS ? 2 : 1);
        return !hour.equals("*");
    }

    /**
     * Returns the times of a schedule.
     *
     * @throws IllegalArgumentException if its expression is none, or has no time after that one
     */
    static FireTimes checked(Schedule schedule, Instant after) {
        try {
            FireTimes times = new FireTimes(schedule);
            times.next(after, after);
            return times;
        } catch (RuntimeException e) {
            // Its parser has other exceptions too, for some texts that are no expressions
            throw new IllegalArgumentException(
                    "the cron expression '" + schedule.cron().orElse("") + "' of schedule '" + schedule.name()
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
        if (period.isPresent()) {
            long past = Math.floorDiv(
                    Duration.between(anchor, after).toMillis(), period.get().toMillis());
            Instant last = anchor.plusMillis(past * period.get().toMillis());
            return last.isAfter(after) ? last : last.plus(period.get());
        }
        return isLocal
                ? byLocalTime(after)
                : cron.orElseThrow().after(after.atZone(zone)).toInstant();
    }

    /**
     * Returns the first instant of a local time. One in a gap comes later by the length of the gap, also between times that
     * the clock shows; one in an overlap is the first of the two.
     */
    private Instant byLocalTime(Instant after) {
        ZoneRules rules = zone.getRules();
        Instant first = shown(rules, after);
        ZoneOffsetTransition change = rules.previousTransition(after.plusNanos(1));
        if (change == null) {
            change = rules.nextTransition(after);
        }
        while (change != null && change.getInstant().isBefore(first)) {
            Instant inGap = change.isGap() ? inGap(change, after, first) : first;
            first = inGap.isBefore(first) ? inGap : first;
            change = rules.nextTransition(change.getInstant());
        }
        return first;
    }

    /** Returns the first instant of a local time that the clock shows. */
    private Instant shown(ZoneRules rules, Instant after) {
        LocalDateTime local = LocalDateTime.ofInstant(after, zone);
        Instant first;
        do {
            local = local(local);
            first = local.atZone(zone).toInstant();
        } while (rules.getValidOffsets(local).isEmpty() || !first.isAfter(after));
        return first;
    }

    private Instant inGap(ZoneOffsetTransition gap, Instant after, Instant otherwise) {
        LocalDateTime local = local(gap.getDateTimeBefore().minusSeconds(1));
        while (local.isBefore(gap.getDateTimeAfter())) {
            Instant shifted = local.atZone(zone).toInstant();
            if (shifted.isAfter(after)) {
                return shifted;
            }
            local = local(local);
        }
        return otherwise;
    }

    private LocalDateTime local(LocalDateTime after) {
        return cron.orElseThrow().after(after.atZone(ZoneOffset.UTC)).toLocalDateTime();
    }

    /** Returns a time of the schedule and those after it, so many in all. */
    List<Instant> upcoming(Instant first, int count) {
        return Stream.iterate(first, time -> next(first, time)).limit(count).toList();
    }

    /** Returns the latest time up to now, from one that is due. It looks back by spans that grow, so that it ends soon. */
    Instant latest(Instant due, Instant now) {
        if (period.isPresent()) {
            return next(due, now).minus(period.get());
        }
        for (Duration back = SHORTEST_LOOK; ; back = back.multipliedBy(LOOK_GROWS)) {
            Instant from = now.minus(back);
            if (!from.isAfter(due)) {
                return latestFrom(due, now);
            }
            Instant near = next(due, from);
            if (!near.isAfter(now)) {
                return latestFrom(near, now);
            }
        }
    }

    private Instant latestFrom(Instant first, Instant now) {
        Instant latest = first;
        for (Instant next = next(first, latest); !next.isAfter(now); next = next(first, next)) {
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
