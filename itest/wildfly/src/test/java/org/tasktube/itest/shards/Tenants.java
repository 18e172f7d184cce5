package org.tasktube.itest.shards;

import jakarta.ejb.Stateless;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    /** All tables with rows of tenants, each with its tenant as the first column. */
    private static final List<String> TABLES = List.of("placed", "shipped");

    public void signUp(Shard home, String tenant) {
        update(home, "INSERT INTO tenant VALUES (?)", tenant);
    }

    static boolean isIn(Shard shard, String tenant) {
        return exists(shard, "SELECT 1 FROM tenant WHERE name = ?", tenant);
    }

    /**
     * Holds a tenant in its database until the transaction ends: a move waits for that. Each transaction with rows of a
     * tenant calls this first.
     *
     * @throws MovedException if the tenant is not there
     */
    static void hold(Shard shard, String tenant) {
        if (!exists(shard, "SELECT 1 FROM tenant WHERE name = ? FOR KEY SHARE", tenant)) {
            throw new MovedException(tenant, shard);
        }
    }

    /**
     * Moves a tenant, its rows, and its tasks, in one transaction with two phases. It waits for the transactions of the
     * tenant that have begun, and those that begin meanwhile wait for it. The database that is used first commits first:
     * between the two commits, those who look for the tenant find it there, or wait for the second one.
     */
    public void move(String tenant, Shard from, Shard to) {
        signUp(to, tenant);
        if (update(from, "DELETE FROM tenant WHERE name = ?", tenant) == 0) {
            throw new MovedException(tenant, from);
        }
        TABLES.forEach(table -> moveRows(table, tenant, from, to));
        moveTasks(tenant, from, to);
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

    /** If a bean holds one of them, it waits in {@link #hold}, and fails there. */
    private static void moveTasks(String tenant, Shard from, Shard to) {
        try (TubeConnection source = from.tubes().getConnection();
                TubeConnection target = to.tubes().getConnection()) {
            Tube left = source.tube(Desk.TUBE);
            Tube entered = target.tube(Desk.TUBE);
            for (long id : tasks(source, tenant)) {
                left.peek(id).ifPresent(task -> move(task, left, entered));
            }
        }
    }

    private static void move(Task task, Tube left, Tube entered) {
        Task moved = entered.put(task.data(), options(task, left.meta(task.id()).orElseThrow()));
        if (task.state() == TaskState.BURIED) {
            entered.bury(moved);
        }
        left.delete(task.id());
    }

    /** By the index of the searchable field, the newest first: a task keeps its place whatever its state becomes. */
    private static List<Long> tasks(TubeConnection connection, String tenant) {
        TaskAdmin admin = connection.unwrap(TaskAdmin.class);
        TaskFilter filter = TaskFilter.parse("tube:" + Desk.TUBE + " data.tenant:\"" + tenant + "\"");
        List<Long> found = new ArrayList<>();
        Optional<String> next = Optional.empty();
        do {
            TaskPage page = admin.search(filter, next, PAGE);
            page.tasks().forEach(task -> found.add(0, task.meta().id()));
            next = page.next();
        } while (next.isPresent());
        return found;
    }

    private static PutOptions options(Task task, TaskMeta meta) {
        PutOptions options = PutOptions.defaults().pri(task.pri()).headers(task.headers());
        return task.state() == TaskState.DELAYED
                ? options.delay(Duration.between(meta.now(), meta.event().orElseThrow()))
                : options;
    }

    private static boolean exists(Shard shard, String query, String tenant) {
        try (Connection connection = shard.rows().getConnection();
                PreparedStatement select = connection.prepareStatement(query)) {
            select.setString(1, tenant);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int update(Shard shard, String sql, String... values) {
        try (Connection connection = shard.rows().getConnection();
                PreparedStatement update = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                update.setString(i + 1, values[i]);
            }
            return update.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
