package org.tasktube.store;

import java.util.Comparator;

/** Where a task stands in its tube's order: smaller first. */
public record OrderKey(int pri, long ord) implements Comparable<OrderKey> {

    /** Before every task. */
    public static final OrderKey START = new OrderKey(Integer.MIN_VALUE, Long.MIN_VALUE);

    private static final Comparator<OrderKey> ORDER =
            Comparator.comparingInt(OrderKey::pri).thenComparingLong(OrderKey::ord);

    @Override
    public int compareTo(OrderKey other) {
        return ORDER.compare(this, other);
    }
}
