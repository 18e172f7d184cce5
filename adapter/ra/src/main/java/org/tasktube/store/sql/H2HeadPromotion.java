package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.store.OrderKey;

/**
 * Promotes heads of sub-queues as {@code tasktube_promote_heads} does in PostgreSQL, for H2, which has no language of its
 * own for it.
 *
 * @param batch how many dirty marks are read at once, and how many tasks that are ready are enough
 */
record H2HeadPromotion(SqlConnection on, Statements sql, int tube, int batch) {

    /** How many batches one transaction works off at most. */
    private static final int BATCHES = 5;

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(5);

    private record Mark(long id, String utube) {}

    private record Parked(String utube, long task) {}

    private record Member(long id, char state, OrderKey key) {}

    /** Returns whether marks are left that it did not look at. */
    boolean run() throws SQLException {
        if ((marks(Long.MAX_VALUE, 1).isEmpty() && parked().isEmpty()) || !lock()) {
            return false;
        }
        int ready = promoteAll(unpark());
        // Not further than what is marked by now, so that it ends
        long last = lastMark();
        for (int i = 0; i < BATCHES; i++) {
            List<Mark> marks = marks(last, batch);
            ready += promote(marks);
            if (marks.size() < batch || ready >= batch) {
                return false;
            }
        }
        return true;
    }

    /** Statements after the lock see all that the promotion before this one did. */
    private boolean lock() throws SQLException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!on.any(sql.get("lock_promotion"), Parameters.of("tube", tube))) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        return true;
    }

    private long lastMark() throws SQLException {
        return on.first(sql.get("last_mark"), row -> row.getLong(1), Parameters.of("tube", tube))
                .orElse(Long.MIN_VALUE);
    }

    private List<Mark> marks(long last, int max) throws SQLException {
        return on.list(
                sql.get("marks"),
                row -> new Mark(row.getLong(1), row.getString(2)),
                Parameters.of("tube", tube, "last", last, "max", max));
    }

    /** Returns how many tasks are ready now that were not before. */
    private int promote(List<Mark> marks) throws SQLException {
        on.update(
                sql.get("remove_marks"),
                Parameters.of("ids", marks.stream().map(Mark::id).toList()));
        Set<String> utubes = new LinkedHashSet<>();
        marks.forEach(mark -> utubes.add(mark.utube));
        return promoteAll(utubes);
    }

    private int promoteAll(Collection<String> utubes) throws SQLException {
        int ready = 0;
        for (String utube : utubes) {
            ready += promote(utube) ? 1 : 0;
        }
        return ready;
    }

    private boolean promote(String utube) throws SQLException {
        Optional<Member> first = member("first_blocked", utube);
        if (first.isEmpty()) {
            return false;
        }
        Optional<Member> head = member("head", utube);
        boolean overtaken =
                head.isPresent() && head.get().state == 'r' && first.get().key.compareTo(head.get().key) < 0;
        if (head.isPresent() && !overtaken) {
            return false;
        }
        if (overtaken) {
            if (!lock(head.get(), utube, false)) {
                return park(utube, head.get());
            }
            setBlocked(head.get(), true);
        }
        // An overtaken head must not go before the first task: until that is not locked, the sub-queue gives nothing
        if (!lock(first.get(), utube, true)) {
            return park(utube, first.get());
        }
        setBlocked(first.get(), false);
        return true;
    }

    private Optional<Member> member(String which, String utube) throws SQLException {
        return on.first(sql.get(which), H2HeadPromotion::readMember, Parameters.of("tube", tube, "utube", utube));
    }

    private static Member readMember(ResultSet row) throws SQLException {
        return new Member(row.getLong(1), row.getString(2).charAt(0), new OrderKey(row.getInt(3), row.getLong(4)));
    }

    /** Returns false if another transaction has it locked, or has changed it, for which it has left a mark. */
    private boolean lock(Member task, String utube, boolean blocked) throws SQLException {
        return on.any(sql.get("lock_in_sub_queue"), Parameters.of("id", task.id, "blocked", blocked, "utube", utube));
    }

    private void setBlocked(Member task, boolean blocked) throws SQLException {
        on.update(sql.get("set_blocked"), Parameters.of("blocked", blocked, "id", task.id));
    }

    // Sub-queues that wait until another transaction has ended

    private boolean park(String utube, Member locked) throws SQLException {
        on.update(sql.get("park"), Parameters.of("tube", tube, "utube", utube, "id", locked.id));
        return false;
    }

    private List<Parked> parked() throws SQLException {
        return on.list(
                sql.get("parked"), row -> new Parked(row.getString(1), row.getLong(2)), Parameters.of("tube", tube));
    }

    private List<String> unpark() throws SQLException {
        List<Parked> parked = parked();
        if (parked.isEmpty()) {
            return List.of();
        }
        Set<Long> unlocked = unlocked(on, sql, parked.stream().map(Parked::task).toList());
        List<String> utubes = parked.stream()
                .filter(one -> unlocked.contains(one.task))
                .map(Parked::utube)
                .toList();
        for (String utube : utubes) {
            on.update(sql.get("unpark"), Parameters.of("tube", tube, "utube", utube));
        }
        return utubes;
    }

    /** Returns which of these tasks no other transaction has locked, or are gone. */
    static Set<Long> unlocked(SqlConnection on, Statements sql, Collection<Long> tasks) throws SQLException {
        Parameters ids = Parameters.of("ids", tasks);
        Set<Long> unlocked = new HashSet<>(tasks);
        unlocked.removeAll(on.list(sql.get("existing"), row -> row.getLong(1), ids));
        unlocked.addAll(on.list(sql.get("unlocked"), row -> row.getLong(1), ids));
        return unlocked;
    }
}
