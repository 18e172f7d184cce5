package org.tasktube;

import java.time.Duration;

/** The bounds of an application's values, checked when the value is set. */
final class Limits {

    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private Limits() {}

    static void checkPri(int pri) {
        if (pri < 0) {
            throw new IllegalArgumentException("pri " + pri + " is below 0; set 0, the highest priority, or more");
        }
    }

    static void checkDelay(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " " + value + " is negative; set PT0S or more");
        }
        checkMax(name, value);
    }

    /** Checks a ttl or ttr. With less than 1 ms, no consumer could ever take or finish the task. */
    static void checkSpan(String name, Duration value) {
        if (value.compareTo(MILLISECOND) < 0) {
            throw new IllegalArgumentException(
                    name + " " + value + " is below 1 ms; set 1 ms or more, or leave it out for no limit");
        }
        checkMax(name, value);
    }

    static void checkCapacity(int capacity) {
        if (capacity < 1 || capacity > TubeDefinition.MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "capacity " + capacity + " is out of its bounds; set 1 to " + TubeDefinition.MAX_CAPACITY);
        }
    }

    static void checkKey(String name, String value, int max) {
        if (value.isEmpty() || value.length() > max) {
            throw new IllegalArgumentException(name + " '" + value.substring(0, Math.min(value.length(), 40)) + "' has "
                    + value.length() + " characters; set 1 to " + max);
        }
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(name + " '" + value.replace("\0", "\\0")
                    + "' has a NUL character, which databases do not keep; leave it out");
        }
    }

    private static void checkMax(String name, Duration value) {
        if (value.compareTo(TubeDefinition.MAX_DURATION) > 0) {
            throw new IllegalArgumentException(name + " " + value + " is over the limit of "
                    + TubeDefinition.MAX_DURATION.toDays() + " days; leave it out for no limit");
        }
    }
}
