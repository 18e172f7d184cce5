package org.tasktube.store.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.tasktube.TaskState;
import org.tasktube.store.OrderKey;

/** The indexes of one tube's rows: of the committed ones, or of those that one transaction has made. */
final class Rows {

    static final Rows NONE = new Rows();

    private final Map<TaskState, NavigableMap<Long, Row>> byId = new EnumMap<>(TaskState.class);
    private final NavigableSet<Row> delayed = new TreeSet<>(Row.BY_EVENT);
    private final Map<TaskState, NavigableSet<Row>> byOrder = new EnumMap<>(TaskState.class);
    private final NavigableSet<Row> claimable = new TreeSet<>(Row.BY_ORDER);

    /** The rows with a failure, in any state. */
    private final Set<Row> failed = new HashSet<>();

    void add(Row row) {
        if (row.failure != null) {
            failed.add(row);
        }
        byId.computeIfAbsent(row.state, state -> new TreeMap<>()).put(row.id, row);
        byOrder.computeIfAbsent(row.state, state -> new TreeSet<>(Row.BY_ORDER)).add(row);
        if (row.state == TaskState.DELAYED) {
            delayed.add(row);
        }
    }

    void remove(Row row) {
        // An Error may have kept the row from being added
        byId.computeIfPresent(row.state, (state, rows) -> without(rows, row));
        claimable.remove(row);
        failed.remove(row);
        byOrder.computeIfPresent(row.state, (state, rows) -> {
            rows.remove(row);
            return rows;
        });
        if (row.state == TaskState.DELAYED) {
            delayed.remove(row);
        }
    }

    private static NavigableMap<Long, Row> without(NavigableMap<Long, Row> rows, Row row) {
        rows.remove(row.id);
        return rows;
    }

    /** Makes a row claimable that was added before. */
    void offer(Row row) {
        claimable.add(row);
    }

    void withdraw(Row row) {
        claimable.remove(row);
    }

    List<Row> claimable(OrderKey after, Instant now, int max) {
        return claimable.tailSet(Row.at(after), false).stream()
                .filter(row -> !row.isOver(now))
                .limit(max)
                .toList();
    }

    boolean isClaimable(Row row) {
        return claimable.contains(row);
    }

    Stream<Row> claimableBefore(Row row, Instant now) {
        return claimable.headSet(row, false).stream().filter(each -> !each.isOver(now));
    }

    /**
     * Returns the oldest claimable rows of each of the smallest priorities. Among rows that were put at the front, the
     * last one is the oldest; among the others, the first one.
     */
    Stream<Row> firstOfPriorities(Instant now, int priorities) {
        List<Row> first = new ArrayList<>();
        Row next = claimable.isEmpty() ? null : claimable.first();
        for (int i = 0; i < priorities && next != null; i++) {
            int pri = next.pri;
            Row middle = Row.at(new OrderKey(pri, -1, Long.MAX_VALUE));
            Row end = Row.at(new OrderKey(pri, Long.MAX_VALUE, Long.MAX_VALUE));
            firstLiving(claimable.subSet(middle, false, end, true), now).ifPresent(first::add);
            firstLiving(
                            claimable
                                    .subSet(
                                            Row.at(new OrderKey(pri, Long.MIN_VALUE, Long.MIN_VALUE)),
                                            true,
                                            middle,
                                            true)
                                    .descendingSet(),
                            now)
                    .ifPresent(first::add);
            next = claimable.higher(end);
        }
        return first.stream();
    }

    private static Optional<Row> firstLiving(NavigableSet<Row> rows, Instant now) {
        return rows.stream().filter(row -> !row.isOver(now)).findFirst();
    }

    Stream<Row> all() {
        return byId.values().stream().flatMap(rows -> rows.values().stream());
    }

    Stream<Row> failed() {
        return failed.stream();
    }

    Stream<Row> in(TaskState state, long afterId) {
        NavigableMap<Long, Row> rows = byId.get(state);
        return rows == null ? Stream.empty() : rows.tailMap(afterId, false).values().stream();
    }

    Stream<Row> in(TaskState state) {
        return in(state, Long.MIN_VALUE);
    }

    int count(TaskState state) {
        NavigableMap<Long, Row> rows = byId.get(state);
        return rows == null ? 0 : rows.size();
    }

    /** Returns the rows of a state, DELAYED ones by deadline, all others in the order of the tube. */
    Stream<Row> inOrder(TaskState state) {
        return state == TaskState.DELAYED ? delayed.stream() : inOrder(state, OrderKey.START);
    }

    /** Returns the rows of a state after a position, in the order of the tube. */
    Stream<Row> inOrder(TaskState state, OrderKey after) {
        NavigableSet<Row> rows = byOrder.get(state);
        return rows == null ? Stream.empty() : rows.tailSet(Row.at(after), false).stream();
    }
}
