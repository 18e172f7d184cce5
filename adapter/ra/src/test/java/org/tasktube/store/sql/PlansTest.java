package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The plans that PostgreSQL makes for the hot statements, whatever their arguments, and keeps: those of an empty
 * table when there are many tasks, too. None reads the whole table.
 */
class PlansTest {

    /** After five plans for the arguments that there are, PostgreSQL makes one for any, and keeps it. */
    private static final int PLAN_IS_KEPT = 10;

    /** Ten for each sub-queue. */
    private static final long MOST_READ = 100;

    private static final Pattern PARAMETER = Pattern.compile("\\?");

    @Test
    void plans_made_for_an_empty_table_do_not_read_it_whole() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                on.execute("VACUUM (ANALYZE) tasktube_task");
                assertPlansUseIndexes(on);
            }
        }
    }

    @Test
    void plans_made_for_many_tasks_do_not_read_them_all() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                on.execute("""
                        INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, event_at, content_type, data)
                        SELECT n, 1, CASE WHEN n % 10 = 0 THEN '~' ELSE 'r' END, 0, n, statement_timestamp(),
                          CASE WHEN n % 10 = 0 THEN statement_timestamp() + n * INTERVAL '1 second' END, 'text/plain', ''
                        FROM generate_series(1, 100000) n""");
                on.execute("VACUUM (ANALYZE) tasktube_task");
                assertPlansUseIndexes(on);
            }
        }
    }

    @Test
    void a_task_is_found_by_its_id_and_not_among_all_that_are_taken() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                fill(on, 100_000, 100_000);
                on.execute("VACUUM (ANALYZE) tasktube_task");
                on.execute("SET plan_cache_mode = force_generic_plan");
                Map<String, String> hot = hotStatements();
                hot.keySet().removeIf(name -> !name.matches("(ack|release|lockHeld|gone|dig).*"));
                assertThat(hot).hasSize(7);
                for (Map.Entry<String, String> each : hot.entrySet()) {
                    assertThat(plan(on, each.getKey(), each.getValue()))
                            .as(each.getKey())
                            .contains("tasktube_task_pkey")
                            .doesNotContain("tasktube_task_other");
                }
            }
        }
    }

    /** What a function's statements read cannot be asked for beforehand, but is counted. */
    @Test
    void sub_queues_are_promoted_by_plans_for_an_empty_table_without_reading_what_waits() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                on.execute("VACUUM (ANALYZE) tasktube_task, tasktube_dirty");
                for (int i = 0; i < PLAN_IS_KEPT; i++) {
                    fill(on, 1, 1);
                    on.execute("SELECT tasktube_promote_heads(1)");
                    on.execute("DELETE FROM tasktube_task");
                }
                fill(on, 100_000, 10);
                long before = read(on);
                on.execute("SELECT tasktube_promote_heads(1)");
                assertThat(read(on) - before).isLessThan(MOST_READ);
                assertThat(number(on, "SELECT count(*) FROM tasktube_task WHERE NOT blocked"))
                        .isEqualTo(10);
            }
        }
    }

    private static void fill(Statement on, int tasks, int subQueues) throws SQLException {
        on.execute("""
                INSERT INTO tasktube_tube (name, type, pri, delay_ms, temporary, sub_queues)
                SELECT 'hosts', 'utube', 0, 0, false, true WHERE NOT EXISTS (SELECT 1 FROM tasktube_tube)""");
        on.execute("""
                INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, utube, blocked, content_type, data)
                SELECT n, 1, 'r', 0, n, statement_timestamp(), 'utube-' || n %% %2$d, true, 'text/plain', ''
                FROM generate_series(1, %1$d) n""".formatted(tasks, subQueues));
        on.execute("INSERT INTO tasktube_dirty (tube_id, utube) SELECT 1, 'utube-' || n FROM generate_series(0, %d) n"
                .formatted(subQueues - 1));
    }

    /** Rows and index entries that were read so far. */
    private static long read(Statement on) throws SQLException {
        on.execute("SELECT pg_stat_force_next_flush()");
        return number(on, """
                SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN ('tasktube_task', 'tasktube_dirty'))
                  + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname IN ('tasktube_task', 'tasktube_dirty'))""");
    }

    private static long number(Statement on, String query) throws SQLException {
        try (ResultSet row = on.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void assertPlansUseIndexes(Statement on) throws SQLException {
        on.execute("SET plan_cache_mode = force_generic_plan");
        for (Map.Entry<String, String> hot : hotStatements().entrySet()) {
            assertThat(plan(on, hot.getKey(), hot.getValue()))
                    .as(hot.getKey())
                    .contains("Index")
                    .doesNotContain("Seq Scan on tasktube_task");
        }
    }

    private static Map<String, String> hotStatements() {
        Statements sql = Statements.read("postgresql.sql");
        Map<String, String> hot = new TreeMap<>();
        hot.put("ack(bigint, int, uuid, bigint)", sql.get("ack").text());
        hot.put("ackInSubQueue(bigint, int, uuid, bigint)", tracked(sql, "ack"));
        hot.put("lockHeld(int, uuid, bigint[])", sql.get("lock_held").text());
        hot.put("ackAllInSubQueues(bigint[])", tracked(sql, "ack_locked"));
        hot.put("release(bigint, int, uuid, bigint)", plain(sql, "release"));
        hot.put(
                "claim(uuid, bigint, int, int, int, int, bigint, int)",
                sql.get("claim").text());
        hot.put("dig(bigint, int, text)", tracked(sql, "dig"));
        hot.put("next", sql.get("next_deadline").text());
        hot.put("due(timestamptz, timestamptz, bigint, int)", sql.get("due").text());
        hot.put("lock(bigint[])", sql.get("lock_due").text());
        hot.put("gone(bigint[])", plain(sql, "deadline_to_gone"));
        hot.put("poll(int[], int[], int[], int[])", sql.get("poll").text());
        return hot;
    }

    private static String plain(Statements sql, String change) {
        return TrackedStatement.of(sql, change, TrackedStatement.IDS).plain().text();
    }

    private static String tracked(Statements sql, String change) {
        return TrackedStatement.of(sql, change, TrackedStatement.IDS).tracked().text();
    }

    private static String plan(Statement on, String signature, String sql) throws SQLException {
        on.execute("PREPARE " + signature + " AS " + numbered(sql));
        StringBuilder plan = new StringBuilder();
        try (ResultSet rows = on.executeQuery("EXPLAIN EXECUTE "
                + signature
                        .replaceAll("[a-z]+\\[\\]", "'{1}'")
                        .replace("uuid", "'00000000-0000-0000-0000-000000000000'")
                        .replaceAll("\\b(bigint|int)\\b", "1")
                        .replace("timestamptz", "now()")
                        .replace("text", "'!'"))) {
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }

    private static String numbered(String sql) {
        Matcher parameters = PARAMETER.matcher(sql);
        StringBuilder numbered = new StringBuilder();
        for (int i = 1; parameters.find(); i++) {
            parameters.appendReplacement(numbered, "\\$" + i);
        }
        return parameters.appendTail(numbered).toString();
    }
}
