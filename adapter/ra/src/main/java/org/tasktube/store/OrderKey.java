package org.tasktube.store;

import java.util.Comparator;

/**
 * The position of a task in its tube. Tasks with smaller keys come first. A driver may give several tasks the same
 * number. These come in the order of their ids, so that no two tasks have the same key.
 */
public record OrderKey(int pri, long ord, long id) implements Comparable<OrderKey> {

    /** The position before all tasks. */
    public static final OrderKey START = new OrderKey(Integer.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE);

    private static final Comparator<OrderKey> ORDER = Comparator.comparingInt(OrderKey::pri)
            .thenComparingLong(OrderKey::ord)
            .thenComparingLong(OrderKey::id);

    /** Returns the last position before this one. */
    public OrderKey before() {
        return equals(START) ? START : new OrderKey(pri, ord, id - 1);
    }

    @Override
    public int compareTo(OrderKey other) {
        return ORDER.compare(this, other);
    }
}
