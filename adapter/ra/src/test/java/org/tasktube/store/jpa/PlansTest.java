package org.tasktube.store.jpa;

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
 * The plans that PostgreSQL makes for the hot statements, whatever their arguments, and keeps: those of an empty table when
 * there are many tasks, too. None reads the whole table.
 */
class PlansTest {

    private static final Pattern PARAMETER = Pattern.compile("\\?");

    @Test
    void plans_made_for_an_empty_table_do_not_read_it_whole() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            JpaStores.open(database, true, () -> {}).close();
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
            JpaStores.open(database, true, () -> {}).close();
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
        Statements sql = new Statements(new Database.PostgreSql());
        Map<String, String> hot = new TreeMap<>();
        hot.put("ack(bigint, int, uuid, bigint)", sql.ackPlain);
        hot.put("release(bigint, int, uuid, bigint)", sql.release.plain());
        hot.put("claim(uuid, bigint, int, int, int, bigint, int)", sql.claimNext);
        hot.put("next", sql.nextEvent);
        hot.put("due(int)", sql.dueEvents);
        hot.put("lock(bigint[])", sql.lockDue);
        hot.put("remove(bigint[])", sql.remove.plain());
        hot.put("ready(int[])", sql.readyTubes);
        return hot;
    }

    private static String plan(Statement on, String signature, String sql) throws SQLException {
        on.execute("PREPARE " + signature + " AS " + numbered(sql));
        StringBuilder plan = new StringBuilder();
        try (ResultSet rows = on.executeQuery("EXPLAIN EXECUTE "
                + signature
                        .replaceAll("[a-z]+\\[\\]", "'{1}'")
                        .replace("uuid", "'00000000-0000-0000-0000-000000000000'")
                        .replaceAll("\\b(bigint|int)\\b", "1"))) {
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
