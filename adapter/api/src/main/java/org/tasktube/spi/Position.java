package org.tasktube.spi;

import java.util.OptionalLong;

/**
 * Where a task goes among the READY tasks of its pri.
 *
 * @param end behind all for {@code LAST}, before all for {@code FIRST}, or as the number says
 * @param number the place among others with numbers, smaller first; {@code LAST} is the same as the task's id, {@code
 *     FIRST} as the negative of it
 */
public record Position(End end, OptionalLong number) {

    /** From which end of the order a position counts. */
    public enum End {
        FIRST,
        LAST,
        NUMBER
    }

    private static final Position FIRST = new Position(End.FIRST, OptionalLong.empty());
    private static final Position LAST = new Position(End.LAST, OptionalLong.empty());

    public Position {
        if ((end == End.NUMBER) != number.isPresent()) {
            throw new IllegalArgumentException("a position has a number if it counts by it: " + end + ", " + number);
        }
    }

    /** Before all that are there. */
    public static Position first() {
        return FIRST;
    }

    /** Behind all that are there. */
    public static Position last() {
        return LAST;
    }

    /** By a number of the driver's own, smaller first; those of the same number in no order of their own. */
    public static Position at(long number) {
        return new Position(End.NUMBER, OptionalLong.of(number));
    }
}
