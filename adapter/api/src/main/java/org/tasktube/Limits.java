package org.tasktube;

import java.time.Duration;

/** The bounds of what an application may ask for, checked where it says it. */
final class Limits {

    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private Limits() {}

    static void checkPri(int pri) {
        if (pri < 0) {
            throw new IllegalArgumentException("pri " + pri + " is below 0; 0 is the highest priority");
        }
    }

    static void checkDelay(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " " + value + " is negative; it takes PT0S or more");
        }
        checkMax(name, value);
    }

    /** A time that a task is given; one of nothing at all would be a task that nobody can ever take. */
    static void checkSpan(String name, Duration value) {
        if (value.compareTo(MILLISECOND) < 0) {
            throw new IllegalArgumentException(
                    name + " " + value + " is below 1 ms; leave it out for a task without that limit");
        }
        checkMax(name, value);
    }

    static void checkCapacity(int capacity) {
        if (capacity < 1 || capacity > TubeDefinition.MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "capacity " + capacity + " is out of its bounds, 1 to " + TubeDefinition.MAX_CAPACITY);
        }
    }

    static void checkKey(String name, String value, int max) {
        if (value.isEmpty() || value.length() > max) {
            throw new IllegalArgumentException(name + " of " + value.length() + " characters, '"
                    + value.substring(0, Math.min(value.length(), 40)) + "': it takes 1 to " + max);
        }
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    name + " '" + value.replace("\0", "\\0") + "' has a NUL character, which databases do not keep");
        }
    }

    private static void checkMax(String name, Duration value) {
        if (value.compareTo(TubeDefinition.MAX_DURATION) > 0) {
            throw new IllegalArgumentException(name + " " + value + " is over the limit of "
                    + TubeDefinition.MAX_DURATION.toDays() + " days; leave it out for no limit");
        }
    }
}
