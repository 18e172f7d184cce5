package org.tasktube.itest.shards;

import jakarta.ejb.Stateless;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;

/** Who the tenants of a database are: a row of the table tenant says it, and changes its place with all others. */
@Stateless
public class Tenants {

    private static final int PAGE = 500;

    private static final int TRIES = 100;
    private static final int PAUSE_MILLIS = 100;

    private static final String LOCK =
            "SELECT set_config('lock_timeout', '10s', true), pg_advisory_xact_lock(hashtextextended(?, 0))";

    private static final String TRY_TO_LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))";
    private static final String TRY_TO_HOLD = "SELECT pg_try_advisory_xact_lock_shared(hashtextextended(?, 0))";

    /** All tables with rows of tenants, each with its tenant as the first column. */
    private static final List<String> TABLES = List.of("placed", "shipped");

    /**
     * Has a tenant begin in the first of its ranked shards. It is locked in all of them, so that none of that name moves
     * meanwhile: it could be seen in neither place. All servers have to know the same shards.
     *
     * @throws IllegalArgumentException if there is a tenant of that name
     * @throws MovedException if there may be one that moves
     */
    public Shard signUp(List<Shard> all, String tenant) {
        for (Shard shard : all) {
            lock(shard, tenant);
            if (isIn(shard, tenant)) {
                throw new IllegalArgumentException("there is a tenant called " + tenant);
            }
        }
        Shard home = Shard.ranked(all, tenant).get(0);
        update(home, "INSERT INTO tenant VALUES (?)", tenant);
        return home;
    }

    /** Does not wait: two moves could wait for each other in two databases, which neither would know. */
    private static void lock(Shard shard, String tenant) {
        if (!query(shard, TRY_TO_LOCK, tenant).equals(List.of("t"))) {
            throw new MovedException(tenant, shard);
        }
    }

    static boolean isIn(Shard shard, String tenant) {
        return !query(shard, "SELECT name FROM tenant WHERE name = ?", tenant).isEmpty();
    }

    /**
     * Holds a tenant in its database until the transaction ends: a move waits for that. Each transaction with rows of a
     * tenant calls this first. It does not wait for a move, so that other tenants need not either.
     *
     * @throws MovedException if the tenant is not there, or moves
     */
    static void hold(Shard shard, String tenant) {
        List<String> held = query(shard, TRY_TO_HOLD, tenant);
        // The lock first, so that this statement sees what a move has committed
        if (!held.equals(List.of("t")) || !isIn(shard, tenant)) {
            throw new MovedException(tenant, shard);
        }
    }

    /**
     * Moves a tenant, its rows, and its tasks, in one transaction with two phases. It waits for the transactions of the
     * tenant that have begun, ten seconds at most: meanwhile no other one of the tenant can begin. The database that is
     * used first commits first, so the tenant enters before it leaves.
     */
    public void move(String tenant, Shard from, Shard to) throws InterruptedException {
        lock(to, tenant);
        update(to, "INSERT INTO tenant VALUES (?)", tenant);
        query(from, LOCK, tenant);
        TABLES.forEach(table -> moveRows(table, tenant, from, to));
        moveTasks(tenant, from, to);
        if (update(from, "DELETE FROM tenant WHERE name = ?", tenant) == 0) {
            throw new MovedException(tenant, from);
        }
    }

    private static void moveRows(String table, String tenant, Shard from, Shard to) {
        try (Connection source = from.rows().getConnection();
                Connection target = to.rows().getConnection();
                PreparedStatement delete =
                        source.prepareStatement("DELETE FROM " + table + " WHERE tenant = ? RETURNING *");
                PreparedStatement insert = target.prepareStatement("INSERT INTO " + table + " VALUES (?, ?)")) {
            delete.setString(1, tenant);
            try (ResultSet row = delete.executeQuery()) {
                while (row.next()) {
                    insert.setString(1, row.getString(1));
                    insert.setString(2, row.getString(2));
                    insert.addBatch();
                }
            }
            insert.executeBatch();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Looks again until none is left: a deadline can change the state of a task meanwhile. A task that is TAKEN comes
     * back, because its bean can't hold the tenant. If it were moved, the bean's thread would wait for the end of the
     * move to write that, and would get no task of others.
     */
    private static void moveTasks(String tenant, Shard from, Shard to) throws InterruptedException {
        try (TubeConnection source = from.tubes().getConnection();
                TubeConnection target = to.tubes().getConnection()) {
            Tube left = source.createTubeIfNotExists(Orders.TUBE);
            Tube entered = target.createTubeIfNotExists(Orders.TUBE);
            int tried = 0;
            while (!tasks(source, tenant, "ready,delayed,taken,buried").isEmpty()) {
                tasks(source, tenant, "ready,delayed,buried")
                        .forEach(id -> left.peek(id).ifPresent(task -> move(task, left, entered)));
                if (!tasks(source, tenant, "taken").isEmpty()) {
                    if (++tried > TRIES) {
                        throw new MovedException(tenant, from);
                    }
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
            }
        }
    }

    /** With all that these tasks have; those of another application may have a pri, a ttl, a ttr, headers or a key too. */
    private static void move(Task task, Tube left, Tube entered) {
        TaskMeta meta = left.meta(task.id()).orElseThrow();
        Task moved = entered.put(task.data(), PutOptions.defaults().delay(delay(meta)));
        if (meta.state() == TaskState.BURIED) {
            entered.bury(moved);
        }
        left.delete(task.id());
    }

    private static Duration delay(TaskMeta meta) {
        if (meta.state() != TaskState.DELAYED) {
            return Duration.ZERO;
        }
        Instant due = meta.event()
                .orElseThrow(() -> new IllegalStateException(
                        "task " + meta.id() + " waits for other tasks; move the tenant when they are done"));
        return due.isAfter(meta.now()) ? Duration.between(meta.now(), due) : Duration.ZERO;
    }

    private static List<Long> tasks(TubeConnection connection, String tenant, String states) {
        TaskAdmin admin = connection.unwrap(TaskAdmin.class);
        String value = tenant.replaceAll("([\\\\*\"])", "\\\\$1");
        TaskFilter filter =
                TaskFilter.parse("tube:" + Orders.TUBE.name() + " state:" + states + " data.tenant:\"" + value + "\"");
        List<Long> found = new ArrayList<>();
        Optional<String> next = Optional.empty();
        do {
            TaskPage page = admin.search(filter, next, PAGE);
            page.tasks().forEach(task -> found.add(0, task.meta().id()));
            next = page.next();
        } while (next.isPresent());
        return found;
    }

    private static List<String> query(Shard shard, String query, String tenant) {
        try (Connection connection = shard.rows().getConnection();
                PreparedStatement select = connection.prepareStatement(query)) {
            select.setString(1, tenant);
            List<String> values = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    values.add(row.getString(1));
                }
            }
            return values;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int update(Shard shard, String sql, String tenant) {
        try (Connection connection = shard.rows().getConnection();
                PreparedStatement update = connection.prepareStatement(sql)) {
            update.setString(1, tenant);
            return update.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
