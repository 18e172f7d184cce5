package org.tasktube.store;

import java.util.Comparator;

/** Where a task stands in its tube's order: smaller first. */
public record Place(int pri, long ord) implements Comparable<Place> {

    /** Before every task. */
    public static final Place START = new Place(Integer.MIN_VALUE, Long.MIN_VALUE);

    private static final Comparator<Place> ORDER =
            Comparator.comparingInt(Place::pri).thenComparingLong(Place::ord);

    @Override
    public int compareTo(Place other) {
        return ORDER.compare(this, other);
    }
}
