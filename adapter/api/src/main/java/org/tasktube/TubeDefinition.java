package org.tasktube;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A tube's name, type, and what put takes where a task says nothing else. Immutable; each method returns a changed copy.
 *
 * @param name 1 to 32 of {@code A-Z a-z 0-9 _ -}, starting with a letter
 * @param type {@link #FIFO} or {@link #FIFOTTL}
 * @param pri the default priority, from 0, smaller first
 * @param ttl the default time to live; infinite without one
 * @param ttr the default time to run; the task's ttl without one
 * @param delay the default delay
 */
public record TubeDefinition(
        String name, String type, int pri, Optional<Duration> ttl, Optional<Duration> ttr, Duration delay) {

    /** First in, first out, and nothing else. */
    public static final String FIFO = "fifo";
    /** First in, first out by priority, with ttl, ttr and delay. */
    public static final String FIFOTTL = "fifottl";

    /**
     * The longest ttl, ttr or delay, 100 years; leave one out for no limit. (H2 cannot add more than 292 years to a
     * time; tarantool/queue calls 500 years infinite.)
     */
    public static final Duration MAX_DURATION = Duration.ofDays(100 * 365L);

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,31}");

    /** @throws IllegalArgumentException for a bad name, a pri or delay below 0, or a duration out of its bounds */
    public TubeDefinition {
        checkName(name);
        Objects.requireNonNull(type, "type");
        Limits.checkPri(pri);
        ttl.ifPresent(value -> Limits.checkSpan("ttl", value));
        ttr.ifPresent(value -> Limits.checkSpan("ttr", value));
        Limits.checkDelay("delay", delay);
    }

    /** A tube of any type by that type's name. */
    public static TubeDefinition of(String name, String type) {
        return new TubeDefinition(name, type, 0, Optional.empty(), Optional.empty(), Duration.ZERO);
    }

    /** A {@link #FIFO} tube. */
    public static TubeDefinition fifo(String name) {
        return of(name, FIFO);
    }

    /** A {@link #FIFOTTL} tube. */
    public static TubeDefinition fifottl(String name) {
        return of(name, FIFOTTL);
    }

    public TubeDefinition pri(int value) {
        return new TubeDefinition(name, type, value, ttl, ttr, delay);
    }

    public TubeDefinition ttl(Duration value) {
        return new TubeDefinition(name, type, pri, Optional.of(value), ttr, delay);
    }

    public TubeDefinition ttr(Duration value) {
        return new TubeDefinition(name, type, pri, ttl, Optional.of(value), delay);
    }

    public TubeDefinition delay(Duration value) {
        return new TubeDefinition(name, type, pri, ttl, ttr, value);
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
