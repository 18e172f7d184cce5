package org.tasktube.store;

import java.util.Comparator;

/** The position of a task in its tube. Tasks with smaller keys come first. */
public record OrderKey(int pri, long ord) implements Comparable<OrderKey> {

    /** The position before all tasks. */
    public static final OrderKey START = new OrderKey(Integer.MIN_VALUE, Long.MIN_VALUE);

    private static final Comparator<OrderKey> ORDER =
            Comparator.comparingInt(OrderKey::pri).thenComparingLong(OrderKey::ord);

    @Override
    public int compareTo(OrderKey other) {
        return ORDER.compare(this, other);
    }
}
