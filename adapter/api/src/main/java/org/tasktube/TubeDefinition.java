package org.tasktube;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * A tube's name, type, and what put takes where a task says nothing else. Immutable; each method returns a changed copy,
 * and refuses by an {@link IllegalArgumentException} what the constructor does.
 *
 * @param name 1 to 32 of {@code A-Z a-z 0-9 _ -}, starting with a letter
 * @param type one of the five here, or that of a {@link org.tasktube.spi.TubeDriver}
 * @param pri the default priority, from 0, smaller first
 * @param ttl the default time to live; infinite without one
 * @param ttr the default time to run; the task's ttl without one
 * @param delay the default delay
 * @param capacity the most tasks that it holds, in whatever state, at least 1 and at most {@value #MAX_CAPACITY}; a put
 *     into a full one waits or is refused
 * @param temporary kept in the memory of each server, apart from the other servers', and gone at its restart. The tube
 *     itself stays; it follows transactions as any other
 */
public record TubeDefinition(
        String name,
        String type,
        int pri,
        Optional<Duration> ttl,
        Optional<Duration> ttr,
        Duration delay,
        OptionalInt capacity,
        boolean temporary) {

    /** First in, first out, and nothing else. */
    public static final String FIFO = "fifo";
    /** First in, first out by priority, with ttl, ttr and delay. */
    public static final String FIFOTTL = "fifottl";
    /** As {@link #FIFOTTL}, with a capacity. */
    public static final String LIMFIFOTTL = "limfifottl";
    /** Sub-queues, each first in, first out, one task at a time. */
    public static final String UTUBE = "utube";
    /** As {@link #UTUBE}, by priority, with ttl, ttr and delay. */
    public static final String UTUBETTL = "utubettl";

    /** The largest capacity of a tube; each place is a row until it is used. */
    public static final int MAX_CAPACITY = 1_000_000;

    /**
     * The longest ttl, ttr or delay, 100 years; leave one out for no limit. (H2 cannot add more than 292 years to a
     * time; tarantool/queue calls 500 years infinite.)
     */
    public static final Duration MAX_DURATION = Duration.ofDays(100 * 365L);

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,31}");

    /** @throws IllegalArgumentException for a bad name, a pri or delay below 0, or what else is out of its bounds */
    public TubeDefinition {
        checkName(name);
        Objects.requireNonNull(type, "type");
        Limits.checkPri(pri);
        ttl.ifPresent(value -> Limits.checkSpan("ttl", value));
        ttr.ifPresent(value -> Limits.checkSpan("ttr", value));
        Limits.checkDelay("delay", delay);
        capacity.ifPresent(Limits::checkCapacity);
    }

    /** A tube of any type by that type's name. */
    public static TubeDefinition of(String name, String type) {
        return new TubeDefinition(
                name, type, 0, Optional.empty(), Optional.empty(), Duration.ZERO, OptionalInt.empty(), false);
    }

    /** A {@link #FIFO} tube. */
    public static TubeDefinition fifo(String name) {
        return of(name, FIFO);
    }

    /** A {@link #FIFOTTL} tube. */
    public static TubeDefinition fifottl(String name) {
        return of(name, FIFOTTL);
    }

    /** A {@link #LIMFIFOTTL} tube. */
    public static TubeDefinition limfifottl(String name, int capacity) {
        return of(name, LIMFIFOTTL).capacity(capacity);
    }

    /** A {@link #UTUBE} tube. */
    public static TubeDefinition utube(String name) {
        return of(name, UTUBE);
    }

    /** A {@link #UTUBETTL} tube. */
    public static TubeDefinition utubettl(String name) {
        return of(name, UTUBETTL);
    }

    public TubeDefinition pri(int value) {
        return new TubeDefinition(name, type, value, ttl, ttr, delay, capacity, temporary);
    }

    public TubeDefinition ttl(Duration value) {
        return new TubeDefinition(name, type, pri, Optional.of(value), ttr, delay, capacity, temporary);
    }

    public TubeDefinition ttr(Duration value) {
        return new TubeDefinition(name, type, pri, ttl, Optional.of(value), delay, capacity, temporary);
    }

    public TubeDefinition delay(Duration value) {
        return new TubeDefinition(name, type, pri, ttl, ttr, value, capacity, temporary);
    }

    public TubeDefinition capacity(int value) {
        return new TubeDefinition(name, type, pri, ttl, ttr, delay, OptionalInt.of(value), temporary);
    }

    /** Kept in memory. */
    public TubeDefinition asTemporary() {
        return new TubeDefinition(name, type, pri, ttl, ttr, delay, capacity, true);
    }

    /**
     * Refuses what cannot be a tube's name.
     *
     * @return the name
     * @throws IllegalArgumentException if it is none
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
