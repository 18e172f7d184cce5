package org.tasktube;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A task that is put again and again: by a cron expression in a time zone, or after a fixed period. {@link
 * TubeConnection#schedule} keeps it in the database, and each of its fires is one task over all servers.
 *
 * <p>By local time a day has each fire once, also when clocks change: a fire in the gap comes later by the length of the
 * gap, and one in the overlap at the first of the two times. If the hour is {@code *}, the fires go on by instants.
 *
 * <p>The task of a fire has three headers: {@value #NAME_HEADER}, {@value #FIRE_HEADER} and, from the second fire on,
 * {@value #PREVIOUS_HEADER}. After an outage, or a pause of the database, the latest missed fire gets one task, and the
 * former ones none: the time of the fire before tells the bean what to catch up with.
 *
 * <p>Instances are immutable. Each method returns a changed copy, and throws the constructor's
 * {@link IllegalArgumentException} for a value out of its bounds.
 *
 * @param name the name, unique in the database: 1 to {@value #MAX_NAME} of {@code A-Z a-z 0-9 . _ -}
 * @param cron the expression: minute, hour, day of the month, month, day of the week; with six fields the first is
 *     the second. A day must fit both the day of the month and that of the week. {@code jakarta.enterprise.concurrent.CronTrigger} says what a field can be
 * @param zone the time zone of the expression
 * @param period the time between two fires, from {@link #MIN_PERIOD}, in place of an expression. The first one is a
 *     period after the call
 * @param tube the name of the tube that gets the tasks
 * @param data the data of each task
 * @param options the options of each put
 * @param overlap whether a fire puts its task while that of the fire before is READY, DELAYED or TAKEN. If not, that fire
 *     is skipped. A BURIED task holds up no fire
 * @param skipIfLateBy how late a fire can be, from 1 ms, before it is skipped; empty if it never is
 */
public record Schedule(
        String name,
        Optional<String> cron,
        ZoneId zone,
        Optional<Duration> period,
        String tube,
        TaskData data,
        PutOptions options,
        boolean overlap,
        Optional<Duration> skipIfLateBy) {

    /** The maximum length of a name, in characters. */
    public static final int MAX_NAME = 64;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1," + MAX_NAME + "}");

    /** The maximum length of an expression, in characters. */
    public static final int MAX_CRON = 255;

    /** The shortest period. */
    public static final Duration MIN_PERIOD = Duration.ofMillis(100);

    /** The header with the schedule's name. */
    public static final String NAME_HEADER = PutOptions.RESERVED_HEADERS + "schedule";

    /** The header with the time of the fire, as {@link java.time.Instant#toString} writes it. */
    public static final String FIRE_HEADER = PutOptions.RESERVED_HEADERS + "fire";

    /** The header with the time of the last fire before that put a task. */
    public static final String PREVIOUS_HEADER = PutOptions.RESERVED_HEADERS + "previous";

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the name, the expression, the zone, the period or the time is out of its bounds,
     *     or if there are both an expression and a period, or none of them
     */
    public Schedule {
        if (!isName(name)) {
            throw new IllegalArgumentException("the name '" + name + "' of a schedule is not 1 to " + MAX_NAME
                    + " characters of A-Z a-z 0-9 . _ -");
        }
        cron.ifPresent(expression -> Limits.checkKey("cron expression", expression, MAX_CRON));
        if (cron.isPresent() == period.isPresent()) {
            throw new IllegalArgumentException("schedule '" + name + "' has "
                    + (cron.isPresent() ? "both a cron expression and" : "neither a cron expression nor")
                    + " a period; set one of them");
        }
        period.filter(time -> time.compareTo(MIN_PERIOD) < 0).ifPresent(time -> {
            throw new IllegalArgumentException(
                    "the period " + time + " of schedule '" + name + "' is below " + MIN_PERIOD + "; set that or more");
        });
        period.ifPresent(time -> Limits.checkSpan("period", time));
        skipIfLateBy.ifPresent(time -> Limits.checkSpan("skipIfLateBy", time));
        TubeDefinition.of(tube, TubeDefinition.FIFO);
    }

    /** Returns whether a schedule can have that name. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** What has the name and the times of a schedule, and needs what to put. */
    public static final class Times {

        private final String name;
        private final Optional<String> cron;
        private final ZoneId zone;
        private final Optional<Duration> period;

        private Times(String name, Optional<String> cron, ZoneId zone, Optional<Duration> period) {
            this.name = name;
            this.cron = cron;
            this.zone = zone;
            this.period = period;
        }

        /** Returns a schedule that puts this data into a tube. {@link TaskData} says what data can be. */
        public Schedule into(String tube, Object data) {
            return into(tube, data, PutOptions.defaults());
        }

        /**
         * Returns a schedule that puts this data into a tube with these options.
         *
         * @throws IllegalArgumentException if the options have {@link PutOptions#uniqueFor} or {@link PutOptions#order}
         */
        public Schedule into(String tube, Object data, PutOptions options) {
            if (!options.order().isNone()) {
                throw new IllegalArgumentException("schedule '" + name
                        + "' has the options after or before, and no task of it is put in the transaction of"
                        + " another; leave them out");
            }
            options.uniqueFor().ifPresent(period -> {
                throw new IllegalArgumentException("schedule '" + name + "' has the option uniqueFor " + period
                        + ", and its tasks have no key; leave it out");
            });
            return new Schedule(name, cron, zone, period, tube, TaskData.of(data), options, false, Optional.empty());
        }
    }

    /**
     * Begins a schedule by a cron expression, such as {@code 0 3 * * MON-FRI}.
     *
     * @param zone the name of a time zone, such as {@code Europe/Berlin}
     * @throws IllegalArgumentException if there is no zone of that name
     */
    public static Times cron(String name, String expression, String zone) {
        try {
            return cron(name, expression, ZoneId.of(zone));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "schedule '" + name + "' has the time zone '" + zone + "', which this server does not know; set one"
                            + " such as Europe/Berlin or UTC",
                    e);
        }
    }

    /** Begins a schedule by a cron expression. */
    public static Times cron(String name, String expression, ZoneId zone) {
        return new Times(name, Optional.of(expression), zone, Optional.empty());
    }

    /** Begins a schedule with a fixed period, from {@link #MIN_PERIOD}. */
    public static Times every(String name, Duration period) {
        return new Times(name, Optional.empty(), ZoneId.of("UTC"), Optional.of(period));
    }

    /** Returns a copy that puts a task also while that of the fire before has not ended. */
    public Schedule allowOverlap() {
        return new Schedule(name, cron, zone, period, tube, data, options, true, skipIfLateBy);
    }

    /** Returns a copy that skips a fire which is late by more than this time, from 1 ms. */
    public Schedule skipIfLateBy(Duration time) {
        return new Schedule(name, cron, zone, period, tube, data, options, overlap, Optional.of(time));
    }
}
