package org.tasktube;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The options of a put. An option that is not set comes from the tube's definition. Durations are exact to the
 * millisecond and at most {@link TubeDefinition#MAX_DURATION}.
 *
 * <p>Instances are immutable. Each method returns a changed copy, and throws the constructor's
 * {@link IllegalArgumentException} for a value out of its bounds.
 *
 * @param pri the priority, from 0, smaller first, as in tarantool/queue (its older API counts from 0 to 255, greater
 *     first)
 * @param ttl the time to live, at least 1 ms. After it, a task that is not TAKEN is removed. The delay is added to it
 * @param ttr the time to run, at least 1 ms. After it, a TAKEN task becomes READY again. The default is the tube's ttr,
 *     else the ttl, else infinite
 * @param delay the time before the task becomes READY, 0 or more
 * @param utube the sub-queue, 1 to {@value #MAX_UTUBE} characters. A task without a sub-queue waits for no other task
 * @param urgent true if the task goes ahead of every READY task, also of pri 0; it then takes no pri. With a delay the
 *     task is put like any other
 * @param headers the headers, in the order of put; tubes of every type have them. At most {@value #MAX_HEADERS}, with
 *     {@value #MAX_HEADERS_SIZE} bytes of names and values together, in UTF-8. A name is 1 to {@value #MAX_HEADER_NAME}
 *     of {@code A-Z a-z 0-9 . _ -}, and case counts. Names that begin with {@value #RESERVED_HEADERS} are reserved for
 *     TaskTube. A value is text without NUL, and may be empty. The map is unmodifiable
 * @param uniqueFor the time from the put for which a {@link Tube#putUnique} keeps its key, also after the end of the
 *     task; at least 1 ms. Without it the key is free with the end of the task
 * @param order the tasks that come before it, and those that come after it
 */
public record PutOptions(
        OptionalInt pri,
        Optional<Duration> ttl,
        Optional<Duration> ttr,
        Optional<Duration> delay,
        Optional<String> utube,
        boolean urgent,
        Map<String, String> headers,
        Optional<Duration> uniqueFor,
        TaskOrder order) {

    /** The maximum length of a sub-queue's name, in characters. */
    public static final int MAX_UTUBE = 255;

    /** The maximum number of headers. */
    public static final int MAX_HEADERS = Limits.MAX_HEADERS;

    /** The maximum length of a header's name, in characters. */
    public static final int MAX_HEADER_NAME = Limits.MAX_HEADER_NAME;

    /** The maximum size of all headers, in bytes of their names and values in UTF-8. */
    public static final int MAX_HEADERS_SIZE = Limits.MAX_HEADERS_SIZE;

    /** The beginning of the names that are reserved for TaskTube. */
    public static final String RESERVED_HEADERS = Limits.RESERVED_HEADERS;

    private static final PutOptions DEFAULTS = new PutOptions(
            OptionalInt.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false,
            Map.of(),
            Optional.empty(),
            TaskOrder.NONE);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if pri, ttl, ttr, delay, the sub-queue's name or a header is out of its bounds
     */
    public PutOptions {
        pri.ifPresent(Limits::checkPri);
        ttl.ifPresent(value -> Limits.checkSpan("ttl", value));
        ttr.ifPresent(value -> Limits.checkSpan("ttr", value));
        delay.ifPresent(value -> Limits.checkDelay("delay", value));
        utube.ifPresent(value -> Limits.checkKey("utube", value, MAX_UTUBE));
        headers = Limits.checkHeaders(headers);
        uniqueFor.ifPresent(value -> Limits.checkSpan("uniqueFor", value));
        Objects.requireNonNull(order, "order");
    }

    /** Returns options of which none is set: all values come from the tube. */
    public static PutOptions defaults() {
        return DEFAULTS;
    }

    /** Returns a copy with a priority, from 0, smaller first. */
    public PutOptions pri(int value) {
        return new PutOptions(OptionalInt.of(value), ttl, ttr, delay, utube, urgent, headers, uniqueFor, order);
    }

    /** Returns a copy with a time to live, 1 ms to {@link TubeDefinition#MAX_DURATION}. */
    public PutOptions ttl(Duration value) {
        return new PutOptions(pri, Optional.of(value), ttr, delay, utube, urgent, headers, uniqueFor, order);
    }

    /** Returns a copy with a time to run, 1 ms to {@link TubeDefinition#MAX_DURATION}. */
    public PutOptions ttr(Duration value) {
        return new PutOptions(pri, ttl, Optional.of(value), delay, utube, urgent, headers, uniqueFor, order);
    }

    /** Returns a copy with a delay, 0 to {@link TubeDefinition#MAX_DURATION}. */
    public PutOptions delay(Duration value) {
        return new PutOptions(pri, ttl, ttr, Optional.of(value), utube, urgent, headers, uniqueFor, order);
    }

    /** Returns a copy with a sub-queue, 1 to {@value #MAX_UTUBE} characters. */
    public PutOptions utube(String value) {
        return new PutOptions(pri, ttl, ttr, delay, Optional.of(value), urgent, headers, uniqueFor, order);
    }

    /**
     * Returns a copy whose unique key stays taken for a time from the put, also after the end of its task: once a day,
     * for instance. Only a put with a key takes it.
     *
     * @param period 1 ms to {@link TubeDefinition#MAX_DURATION}
     */
    public PutOptions uniqueFor(Duration period) {
        return new PutOptions(pri, ttl, ttr, delay, utube, urgent, headers, Optional.of(period), order);
    }

    /** Returns a copy that goes ahead of every READY task. (urgent of tarantool's older API.) */
    public PutOptions asUrgent() {
        return new PutOptions(pri, ttl, ttr, delay, utube, true, headers, uniqueFor, order);
    }

    /** Returns a copy with one more header, after the others. A header of the same name gets the new value. */
    public PutOptions header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return headers(more);
    }

    /** Returns a copy with these headers, in the order of the map, in place of all that were set. */
    public PutOptions headers(Map<String, String> values) {
        return new PutOptions(pri, ttl, ttr, delay, utube, urgent, values, uniqueFor, order);
    }

    /**
     * Returns a copy that comes after these tasks too. It is DELAYED without a deadline until each of them has ended by
     * an ack, with any result; then it is READY, once, whichever ack is the last. Its ttl counts from then. If one of
     * them is BURIED, it waits for a retry. If one is deleted, its tube is emptied, or its ttl is over, the task is
     * BURIED with that reason.
     *
     * @param tasks tasks of any tubes, which the same transaction has put; none for a task that waits for no other
     */
    public PutOptions after(Task... tasks) {
        return after(List.of(tasks), false);
    }

    /** Returns a copy that comes after these tasks too, as by {@link #after(Task...)}. */
    public PutOptions after(List<Task> tasks) {
        return after(tasks, false);
    }

    /**
     * Returns a copy that comes after these tasks too, whichever way each ends: also one that is deleted counts.
     * All tasks of the put count like that.
     */
    public PutOptions afterAny(Task... tasks) {
        return after(List.of(tasks), true);
    }

    /** Returns a copy that comes after these tasks too, as by {@link #afterAny(Task...)}. */
    public PutOptions afterAny(List<Task> tasks) {
        return after(tasks, true);
    }

    private PutOptions after(List<Task> tasks, boolean anyEnd) {
        return ordered(new TaskOrder(TaskOrder.with(order.after(), tasks), order.anyEnd() || anyEnd, order.before()));
    }

    /**
     * Returns a copy that comes before this task too, which waits for it as by {@link #after(Task...)}. So a group gets
     * members while it runs.
     *
     * @param task a task that the same transaction has put, or one that waits for the task of the bean that calls
     */
    public PutOptions before(Task task) {
        return ordered(new TaskOrder(order.after(), order.anyEnd(), TaskOrder.with(order.before(), List.of(task))));
    }

    private PutOptions ordered(TaskOrder value) {
        return new PutOptions(pri, ttl, ttr, delay, utube, urgent, headers, uniqueFor, value);
    }
}
