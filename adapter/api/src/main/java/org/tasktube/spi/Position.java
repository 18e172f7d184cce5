package org.tasktube.spi;

import java.util.OptionalLong;

/**
 * The position of a task among the READY tasks of its pri.
 *
 * @param end {@code LAST} for behind all, {@code FIRST} for before all, {@code NUMBER} for a position by number
 * @param number the position among others with numbers, smaller first. {@code LAST} equals the task's id, {@code FIRST}
 *     the negative of it
 */
public record Position(End end, OptionalLong number) {

    /** The end of the order from which a position counts. */
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

    /** Returns the position before all others. */
    public static Position first() {
        return FIRST;
    }

    /** Returns the position behind all others. */
    public static Position last() {
        return LAST;
    }

    /**
     * Returns a position by a number of the driver's own, smaller first. The order among equal numbers is not defined.
     */
    public static Position at(long number) {
        return new Position(End.NUMBER, OptionalLong.of(number));
    }
}
