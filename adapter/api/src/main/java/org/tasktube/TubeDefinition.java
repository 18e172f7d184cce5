package org.tasktube;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The definition of a tube: its name, its type, and the defaults of its puts. Instances are immutable. Each method
 * returns a changed copy, and throws the constructor's {@link IllegalArgumentException} for a value out of its bounds.
 *
 * @param name 1 to 32 of {@code A-Z a-z 0-9 _ -}, starting with a letter
 * @param type one of the five types here, or the type of a {@link org.tasktube.spi.TubeDriver}
 * @param pri the default priority, from 0, smaller first
 * @param ttl the default time to live, 1 ms to {@link #MAX_DURATION}; infinite by default
 * @param ttr the default time to run, 1 ms to {@link #MAX_DURATION}; by default the task's ttl
 * @param delay the default delay, 0 to {@link #MAX_DURATION}
 * @param capacity the largest number of tasks in all states, 1 to {@value #MAX_CAPACITY}. A put into a full tube waits
 *     or fails
 * @param temporary true if its tasks are in a table of which the database writes no log. They are gone after a crash of
 *     the database, after its failover, and when a server starts while no other is up; the tube itself stays. All else
 *     is as in any other tube
 * @param history the moves of its tasks to keep; {@link History#OFF} by default
 * @param historyRetention the time for which it keeps them, {@link #MIN_HISTORY_RETENTION} to
 *     {@link #MAX_HISTORY_RETENTION}; {@link #HISTORY_RETENTION} by default
 * @param searchable the fields inside the JSON data of its tasks by which searches find them at once, as
 *     {@link DataPath} reads them: at most {@value #MAX_SEARCHABLE}, none by default. Each is a row per task, which its
 *     put writes. A temporary tube takes none
 * @param takeLimits what keeps its READY tasks from takes; {@link TakeLimits#NONE} by default
 */
public record TubeDefinition(
        String name,
        String type,
        int pri,
        Optional<Duration> ttl,
        Optional<Duration> ttr,
        Duration delay,
        OptionalInt capacity,
        boolean temporary,
        History history,
        Duration historyRetention,
        List<String> searchable,
        TakeLimits takeLimits) {

    /** First in, first out, without options. */
    public static final String FIFO = "fifo";
    /** First in, first out by priority, with ttl, ttr and delay. */
    public static final String FIFOTTL = "fifottl";
    /** Like {@link #FIFOTTL}, with a capacity. */
    public static final String LIMFIFOTTL = "limfifottl";
    /** Sub-queues, each first in, first out, one task at a time. */
    public static final String UTUBE = "utube";
    /** Like {@link #UTUBE}, by priority, with ttl, ttr and delay. */
    public static final String UTUBETTL = "utubettl";

    /** The largest capacity of a tube. Each free slot is a row in the database. */
    public static final int MAX_CAPACITY = Limits.MAX_CAPACITY;

    /**
     * The longest ttl, ttr or delay, 100 years. For no limit, leave the value out. (H2 cannot add more than 292 years
     * to a time; tarantool/queue calls 500 years infinite.)
     */
    public static final Duration MAX_DURATION = Limits.MAX_DURATION;

    /** The default time for which a tube keeps the history of its tasks. */
    public static final Duration HISTORY_RETENTION = Duration.ofDays(7);

    /** The shortest time for which a tube keeps the history of its tasks. */
    public static final Duration MIN_HISTORY_RETENTION = Limits.MIN_HISTORY_RETENTION;

    /** The longest time for which a tube keeps the history of its tasks. */
    public static final Duration MAX_HISTORY_RETENTION = Limits.MAX_HISTORY_RETENTION;

    /** The most searchable fields of a tube. */
    public static final int MAX_SEARCHABLE = Limits.MAX_SEARCHABLE;

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,31}");

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the name or a searchable field is invalid, or pri, capacity, a duration or the
     *     number of searchable fields is out of its bounds
     */
    public TubeDefinition {
        checkName(name);
        Objects.requireNonNull(type, "type");
        Limits.checkPri(pri);
        ttl.ifPresent(value -> Limits.checkSpan("ttl", value));
        ttr.ifPresent(value -> Limits.checkSpan("ttr", value));
        Limits.checkDelay("delay", delay);
        capacity.ifPresent(Limits::checkCapacity);
        Objects.requireNonNull(history, "history");
        Limits.checkRetention(historyRetention);
        searchable = Limits.checkSearchable(searchable, temporary);
        Objects.requireNonNull(takeLimits, "takeLimits");
    }

    /** Returns a tube of any type, by the type's name. */
    public static TubeDefinition of(String name, String type) {
        return new TubeDefinition(
                name,
                type,
                0,
                Optional.empty(),
                Optional.empty(),
                Duration.ZERO,
                OptionalInt.empty(),
                false,
                History.OFF,
                HISTORY_RETENTION,
                List.of(),
                TakeLimits.NONE);
    }

    /** Returns a {@link #FIFO} tube. */
    public static TubeDefinition fifo(String name) {
        return of(name, FIFO);
    }

    /** Returns a {@link #FIFOTTL} tube. */
    public static TubeDefinition fifottl(String name) {
        return of(name, FIFOTTL);
    }

    /**
     * Returns a {@link #LIMFIFOTTL} tube.
     *
     * @param capacity 1 to {@value #MAX_CAPACITY} tasks
     */
    public static TubeDefinition limfifottl(String name, int capacity) {
        return of(name, LIMFIFOTTL).capacity(capacity);
    }

    /** Returns a {@link #UTUBE} tube. */
    public static TubeDefinition utube(String name) {
        return of(name, UTUBE);
    }

    /** Returns a {@link #UTUBETTL} tube. */
    public static TubeDefinition utubettl(String name) {
        return of(name, UTUBETTL);
    }

    /** Returns a copy with a default priority, from 0, smaller first. */
    public TubeDefinition pri(int value) {
        return new TubeDefinition(
                name,
                type,
                value,
                ttl,
                ttr,
                delay,
                capacity,
                temporary,
                history,
                historyRetention,
                searchable,
                takeLimits);
    }

    /** Returns a copy with a default time to live, 1 ms to {@link #MAX_DURATION}. */
    public TubeDefinition ttl(Duration value) {
        return new TubeDefinition(
                name,
                type,
                pri,
                Optional.of(value),
                ttr,
                delay,
                capacity,
                temporary,
                history,
                historyRetention,
                searchable,
                takeLimits);
    }

    /** Returns a copy with a default time to run, 1 ms to {@link #MAX_DURATION}. */
    public TubeDefinition ttr(Duration value) {
        return new TubeDefinition(
                name,
                type,
                pri,
                ttl,
                Optional.of(value),
                delay,
                capacity,
                temporary,
                history,
                historyRetention,
                searchable,
                takeLimits);
    }

    /** Returns a copy with a default delay, 0 to {@link #MAX_DURATION}. */
    public TubeDefinition delay(Duration value) {
        return new TubeDefinition(
                name,
                type,
                pri,
                ttl,
                ttr,
                value,
                capacity,
                temporary,
                history,
                historyRetention,
                searchable,
                takeLimits);
    }

    /** Returns a copy with a capacity, 1 to {@value #MAX_CAPACITY} tasks. */
    public TubeDefinition capacity(int value) {
        return new TubeDefinition(
                name,
                type,
                pri,
                ttl,
                ttr,
                delay,
                OptionalInt.of(value),
                temporary,
                history,
                historyRetention,
                searchable,
                takeLimits);
    }

    /** Returns a copy whose tasks the database keeps without a log. */
    public TubeDefinition asTemporary() {
        return new TubeDefinition(
                name, type, pri, ttl, ttr, delay, capacity, true, history, historyRetention, searchable, takeLimits);
    }

    /**
     * Returns a copy that keeps the history of its tasks for {@link #HISTORY_RETENTION}, or for the time that is set.
     */
    public TubeDefinition history(History value) {
        return new TubeDefinition(
                name, type, pri, ttl, ttr, delay, capacity, temporary, value, historyRetention, searchable, takeLimits);
    }

    /** Returns a copy that keeps the history of its tasks for a time, 1 minute to 3,650 days. */
    public TubeDefinition historyRetention(Duration value) {
        return new TubeDefinition(
                name, type, pri, ttl, ttr, delay, capacity, temporary, history, value, searchable, takeLimits);
    }

    /**
     * Returns a copy with these searchable fields in place of the present ones, such as {@code "customer.id", "order"}.
     *
     * @see DataPath
     */
    public TubeDefinition searchable(String... fields) {
        return new TubeDefinition(
                name,
                type,
                pri,
                ttl,
                ttr,
                delay,
                capacity,
                temporary,
                history,
                historyRetention,
                List.of(fields),
                takeLimits);
    }

    /**
     * Returns a copy of strict order: a task of a sub-queue that failed, and is DELAYED or BURIED since, keeps the later
     * ones waiting. They go on when it is acked, deleted or expired, or by {@link Tube#letGo}. Only a type with
     * sub-queues takes it.
     */
    public TubeDefinition strict() {
        return limits(new TakeLimits(true, takeLimits.maxTaken(), takeLimits.maxRate()));
    }

    /**
     * Returns a copy with at most so many TAKEN tasks, on all servers together. It counts tasks, not threads: a bean that
     * goes on after its ttr is beyond it.
     *
     * @param value 1 to {@value TakeLimits#MOST}
     */
    public TubeDefinition maxTaken(int value) {
        return limits(new TakeLimits(takeLimits.strictOrder(), OptionalInt.of(value), takeLimits.maxRate()));
    }

    /**
     * Returns a copy with at most so many takes in any window of a length, on all servers together. A take that is rolled
     * back does not count; one whose bean fails does.
     *
     * @param takes 1 to {@value TakeLimits#MOST}
     * @param period 1 ms to {@link #MAX_DURATION}
     */
    public TubeDefinition maxRate(int takes, Duration period) {
        return limits(new TakeLimits(
                takeLimits.strictOrder(), takeLimits.maxTaken(), Optional.of(new TakeLimits.Rate(takes, period))));
    }

    private TubeDefinition limits(TakeLimits value) {
        return new TubeDefinition(
                name, type, pri, ttl, ttr, delay, capacity, temporary, history, historyRetention, searchable, value);
    }

    /**
     * Checks the name of a tube.
     *
     * @return the name
     * @throws IllegalArgumentException if the name is not 1 to 32 of {@code A-Z a-z 0-9 _ -}, starting with a letter
     */
    public static String checkName(String name) {
        if (!NAME.matcher(Objects.requireNonNull(name, "the name of a tube is missing"))
                .matches()) {
            throw new IllegalArgumentException(
                    "'" + name + "' cannot name a tube: it takes 1 to 32 of A-Z a-z 0-9 _ - and starts with a letter");
        }
        return name;
    }
}
