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
 * Promotes heads of sub-queues in H2, as {@code tasktube_promote_heads} does in PostgreSQL. H2 has no language of its
 * own for such functions.
 */
final class H2HeadPromotion {

    /** The most batches that one transaction works off. */
    private static final int BATCHES = 5;

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(5);

    private final SqlConnection on;
    private final Statements sql;
    private final int tube;
    private final int batch;
    private boolean strict;

    private record Mark(long id, String utube) {}

    private record Parked(String utube, long task) {}

    private record Member(long id, char state, OrderKey key, boolean isLiving) {}

    /** @param batch the number of dirty marks that are read at once, and the number of ready tasks that is enough */
    H2HeadPromotion(SqlConnection on, Statements sql, int tube, int batch) {
        this.on = on;
        this.sql = sql;
        this.tube = tube;
        this.batch = batch;
    }

    /** Promotes heads. Returns true if marks are left unread and too few tasks are ready. */
    boolean run() throws SQLException {
        if ((marks(Long.MAX_VALUE, 1).isEmpty() && parked().isEmpty()) || !lock()) {
            return false;
        }
        int ready = promoteAll(unpark());
        // Only marks that exist by now, so that the promotion ends
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

    /**
     * Waits for the lock of promotions; returns false after the patience. Statements after the lock see all changes of
     * the promotion before.
     */
    private boolean lock() throws SQLException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Optional<Boolean> locked =
                    on.first(sql.get("lock_promotion"), row -> row.getBoolean(1), Parameters.of("tube", tube));
            if (locked.isPresent()) {
                strict = locked.get();
                return true;
            } else if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
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

    /** Promotes the heads of the marked sub-queues. Returns the number of tasks that became ready. */
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

    /** Promotes the head of a sub-queue. Returns whether that made a task ready; one whose ttl is over is not. */
    private boolean promote(String utube) throws SQLException {
        Optional<Member> first = member("first_blocked", utube);
        if (first.isEmpty()) {
            return false;
        }
        Optional<Member> head = member(strict ? "head_in_strict_order" : "head", utube);
        if (strict && head.isEmpty()) {
            // One that failed and held the others may have gone on meanwhile
            first = member("first_blocked", utube);
        }
        if (first.isEmpty()) {
            return false;
        }
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
        // An overtaken head must not be taken before the first task. While that task is locked, the sub-queue gives
        // none
        if (!lock(first.get(), utube, true)) {
            return park(utube, first.get());
        }
        setBlocked(first.get(), false);
        return first.get().isLiving;
    }

    private Optional<Member> member(String which, String utube) throws SQLException {
        return on.first(sql.get(which), H2HeadPromotion::readMember, Parameters.of("tube", tube, "utube", utube));
    }

    private static Member readMember(ResultSet row) throws SQLException {
        long id = row.getLong(1);
        return new Member(
                id, row.getString(2).charAt(0), new OrderKey(row.getInt(3), row.getLong(4), id), row.getBoolean(5));
    }

    /** Locks a task. Returns false if another transaction has locked it, or has changed it and so has left a mark. */
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

    /** Returns the tasks of these that no other transaction has locked, or that no longer exist. */
    static Set<Long> unlocked(SqlConnection on, Statements sql, Collection<Long> tasks) throws SQLException {
        Parameters ids = Parameters.of("ids", tasks);
        Set<Long> unlocked = new HashSet<>(tasks);
        unlocked.removeAll(on.list(sql.get("existing"), row -> row.getLong(1), ids));
        unlocked.addAll(on.list(sql.get("unlocked"), row -> row.getLong(1), ids));
        return unlocked;
    }
}
