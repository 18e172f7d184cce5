package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The plans that the databases make for the hot statements, whatever their arguments, and keep: those of an empty
 * table when there are many tasks, too. None reads the whole table.
 */
@Tag("large")
class PlansTest {

    /** After five plans for the arguments that there are, PostgreSQL makes one for any, and keeps it. */
    private static final int PLAN_IS_KEPT = 10;

    /** PostgreSQL compiles dearer plans, for each of their executions. */
    private static final double JIT_ABOVE_COST = 100_000;

    private static final Pattern COST = Pattern.compile("cost=[0-9.]+[.]{2}([0-9.]+)");

    /** Ten for each sub-queue. */
    private static final long MOST_READ = 100;

    /** The parameters of the full form after those of the change. */
    private static final String MOVE =
            ", boolean, text, text, uuid, text, text, text, bigint, text, text, text, int, bigint,"
                    + " boolean, boolean)";

    private static final String MOVE_OF_REMOVED = ", boolean, text, uuid, text, text, text, boolean, boolean)";

    private static final String PUT_FOR =
            "putFor(uuid, bigint, int, int, bigint, bigint, bigint, bigint, text, bytea, text, int, int, bigint, bigint, int, int, int, int, int)";

    private static final Pattern NAME = Pattern.compile("(?m)^-- name: (\\w+)$");

    private static final Pattern BY_ID =
            Pattern.compile("(?s)^(SELECT|UPDATE|DELETE)\\b.*\\btasktube_task\\b.*\\bid = (\\?|ANY)");

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
    void a_count_of_all_tasks_reads_indexes_only() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                // Vacuum knows a row as visible to all when its commit is on the disk
                on.execute("SET synchronous_commit TO ON");
                on.execute("""
                        INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, utube, blocked, content_type, data)
                        SELECT n, 1, CASE WHEN n % 3 = 0 THEN '~' ELSE 'r' END, 0, n, statement_timestamp(),
                          CASE WHEN n % 3 = 1 THEN 'utube-' || n % 100 END, n % 3 = 1, 'text/plain',
                          decode(repeat('00', 256), 'hex')
                        FROM generate_series(1, 30000) n""");
                on.execute("VACUUM (ANALYZE) tasktube_task");
                String counts = text(Statements.read("postgresql.sql"), "counts");
                assertThat(plan(on, "counts", counts))
                        .contains("tasktube_task_ready", "tasktube_task_sub_queue", "tasktube_task_other")
                        .doesNotContain("Seq Scan on tasktube_task", "Bitmap");
            }
        }
    }

    @Test
    @Tag("full")
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
                assertThat(hot).hasSize(8);
                for (Map.Entry<String, String> each : hot.entrySet()) {
                    assertThat(plan(on, each.getKey(), each.getValue()))
                            .as(each.getKey())
                            .contains("tasktube_task_pkey")
                            .doesNotContain("tasktube_task_other");
                }
            }
        }
    }

    /** H2 knows one task in each of a hundred tubes, so that a tube is as rare as an id. */
    @Test
    void a_task_is_found_by_its_id_also_where_h2_has_seen_few_tasks() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                on.execute("""
                        INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)
                        SELECT x, x, 'r', 0, x, LOCALTIMESTAMP, 'text/plain', '' FROM system_range(1, 100)""");
                on.execute("ANALYZE");
                Map<String, String> others = new TreeMap<>();
                for (Map.Entry<String, String> byId : statementsById().entrySet()) {
                    String plan = h2Plan(connection, byId.getValue());
                    if (!plan.contains("PRIMARY_KEY")) {
                        others.put(byId.getKey(), plan);
                    }
                }
                assertThat(others).isEmpty();
            }
        }
    }

    private static Map<String, String> statementsById() throws IOException {
        Statements sql = Statements.read("h2.sql");
        Map<String, String> found = new TreeMap<>();
        try (InputStream common = Statements.class.getResourceAsStream("common.sql")) {
            Matcher names = NAME.matcher(new String(common.readAllBytes(), StandardCharsets.UTF_8));
            while (names.find()) {
                String text = text(sql, names.group(1));
                if (BY_ID.matcher(text).find()) {
                    found.put(names.group(1), text);
                }
            }
        }
        assertThat(found).hasSizeGreaterThan(20);
        return found;
    }

    /** Returns nothing for a frame, which is no statement. */
    private static String text(Statements sql, String name) {
        try {
            return sql.get(name).text();
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static String h2Plan(Connection connection, String sql) throws SQLException {
        try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + sql)) {
            for (int i = 1; i <= explain.getParameterMetaData().getParameterCount(); i++) {
                explain.setNull(i, Types.NULL);
            }
            try (ResultSet row = explain.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    /**
     * PostgreSQL knows another tube with all tasks, and pages that are nearly empty, as those of a queue are. A sort or
     * a bitmap would read all tasks of the first tube when it has a million, and each one removed since the last
     * vacuum.
     */
    @ParameterizedTest
    @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
    void plans_made_while_a_tube_was_empty_read_its_tasks_in_order(String mode) throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                leaveSparsePages(on);
                assertPlansReadInOrder(on, mode);
            }
        }
    }

    /**
     * A burst leaves pages, which stay, and statistics of its columns, which stay too: PostgreSQL writes none for an
     * empty table. It expects that a read in order visits the pages of a share of all tasks, and that other plans read
     * one task.
     */
    @ParameterizedTest
    @ValueSource(strings = {"force_custom_plan", "force_generic_plan"})
    @Tag("full")
    void plans_made_after_a_burst_read_tasks_and_slots_in_order(String mode) throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                leaveSparsePages(on);
                on.execute("INSERT INTO tasktube_slot (tube_id) SELECT 1 FROM generate_series(1, 1000) n");
                on.execute("INSERT INTO tasktube_dirty (tube_id, utube) SELECT 1, 'a' FROM generate_series(1, 1000) n");
                on.execute("VACUUM (ANALYZE) tasktube_slot, tasktube_dirty");
                on.execute("DELETE FROM tasktube_task");
                on.execute("DELETE FROM tasktube_slot");
                on.execute("DELETE FROM tasktube_dirty");
                on.execute("VACUUM (ANALYZE) tasktube_task, tasktube_slot, tasktube_dirty");
                assertPlansReadInOrder(on, mode);
            }
        }
    }

    @Test
    void the_put_of_a_task_is_found_without_its_other_moves() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                fill(on, 1_000, 10);
                on.execute("INSERT INTO tasktube_history (tube_id, task_id, at, event, attempt)"
                        + " SELECT 1, 1, statement_timestamp(), 'TOUCH', 1 FROM generate_series(1, 100000) n");
                on.execute("VACUUM (ANALYZE) tasktube_history");
                for (String name : List.of("put_in_task", "put_of_removed")) {
                    String query = PARAMETER
                            .matcher(Statements.read("postgresql.sql").get(name).text())
                            .replaceAll("1");
                    long before = read(on);
                    on.execute(query);
                    assertThat(read(on) - before).as(name).isLessThan(MOST_READ);
                }
            }
        }
    }

    /** The tables of the audit, of operations and of histories have no pages at first, unlike the tasks. */
    @ParameterizedTest
    @ValueSource(ints = {0, 50_000})
    @Tag("full")
    void the_console_reads_audit_operations_and_histories_by_their_indexes(int rows) throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                if (rows > 0) {
                    fillTablesOfTheConsole(on, rows);
                }
                on.execute("SET plan_cache_mode = force_generic_plan");
                Map<String, String> refused = new TreeMap<>();
                for (Map.Entry<String, String> read : readsOfTheConsole().entrySet()) {
                    String plan = plan(on, read.getKey(), read.getValue());
                    if (plan.matches(
                            "(?s).*(Seq Scan on tasktube_(task|audit|operation|history|field)|Sort Key: (id|tube_id)).*")) {
                        refused.put(read.getKey(), plan);
                    }
                }
                assertThat(refused).isEmpty();
            }
        }
    }

    private static void fillTablesOfTheConsole(Statement on, int rows) throws SQLException {
        on.execute("""
                INSERT INTO tasktube_audit (done_at, who, needs, act, tube, status, server)
                SELECT statement_timestamp(), 'user ' || n % 7, 'OPERATE', 'act ' || n % 5, 'tube ' || n % 9, 200, 'app-1'
                FROM generate_series(1, XX) n""".replace("XX", Integer.toString(rows)));
        on.execute("""
                INSERT INTO tasktube_operation (id, act, filter, reason, created_by, created_at, ended_at, state,
                  expected, is_least, up_to)
                SELECT n, 'RETRY', '', 'x', 'anna', statement_timestamp(), statement_timestamp(), 'd', 1, FALSE, 1
                FROM generate_series(1, XX) n""".replace("XX", Integer.toString(rows)));
        on.execute("""
                INSERT INTO tasktube_history (tube_id, task_id, at, event, attempt, parent_task, parent_tube)
                SELECT n % 3, n / 4, statement_timestamp(), 'TOUCH', 1, CASE WHEN n % 4 = 0 THEN n / 8 END, 1
                FROM generate_series(1, XX) n""".replace("XX", Integer.toString(rows)));
        on.execute("""
                INSERT INTO tasktube_field (index_id, hash, task_id)
                SELECT n % 3, n % 100, n FROM generate_series(1, XX) n""".replace("XX", Integer.toString(rows)));
        on.execute("VACUUM (ANALYZE) tasktube_audit, tasktube_operation, tasktube_history, tasktube_field");
    }

    private static Map<String, String> readsOfTheConsole() {
        Statements sql = Statements.read("postgresql.sql");
        Map<String, String> reads = new TreeMap<>();
        for (String read : List.of(
                "audit(bigint, text, text, timestamptz, timestamptz, timestamptz, timestamptz, int)",
                "audit_of_tube(text, bigint, text, text, text, text, text, text, timestamptz, timestamptz, timestamptz, timestamptz, int)",
                "audit_of_user(text, bigint, text, text, text, text, timestamptz, timestamptz, timestamptz, timestamptz, int)",
                "audit_of_act(text, bigint, text, text, timestamptz, timestamptz, timestamptz, timestamptz, int)",
                "old_audit(int, bigint)",
                "scan_indexed(bigint, bigint, bigint, int, int)",
                "old_fields(bigint, bigint, bigint, bigint, int)",
                "tasks_to_index(bigint, bigint, int)",
                "operation(bigint)",
                "operations(bigint, int)",
                "lock_operation(bigint, int)",
                "take_operation(int, text, int)",
                "can_take_operation(int)",
                "old_operations(bigint, int)",
                "history_of_task(bigint, bigint, int, int)",
                "first_move(bigint, int)",
                "put_of_removed(int, bigint, int)",
                "puts_of_task(bigint, int, int)",
                "next_history(int)",
                "old_history(int, bigint, int, bigint)",
                "remove_history(int, bigint, bigint)",
                "used_tubes")) {
            reads.put(read, sql.get(read.replaceFirst("\\(.*", "")).text());
        }
        return reads;
    }

    /** The overview reads the oldest tasks of all tubes each second. */
    @Test
    void reads_of_the_administration_are_never_compiled() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                Connection connection = database.getConnection();
                Statement on = connection.createStatement()) {
            assertThat(setting(on, "jit")).isEqualTo("on");
            connection.setAutoCommit(false);
            new PostgreSql(SchemaName.OF_THE_CONNECTION).beginReading(new SqlConnection(connection, new LongAdder()));
            assertThat(setting(on, "jit")).isEqualTo("off");
            assertThat(setting(on, "transaction_read_only")).isEqualTo("on");
            connection.commit();
            assertThat(setting(on, "jit")).isEqualTo("on");
        }
    }

    private static String setting(Statement on, String name) throws SQLException {
        try (ResultSet row = on.executeQuery("SHOW " + name)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void assertPlansReadInOrder(Statement on, String mode) throws SQLException {
        Pattern otherwise = Pattern.compile("Seq Scan on tasktube_(task|slot|dirty)"
                + "|Bitmap Index Scan on tasktube_task_(?!pkey)"
                + "|Sort Key: (tasktube_\\w+\\.)?(pri|ord|utube|id|event_at)\\b");
        on.execute("SET plan_cache_mode = " + mode);
        Map<String, String> refused = new TreeMap<>();
        for (Map.Entry<String, String> ordered : orderedStatements().entrySet()) {
            String plan = plan(on, ordered.getKey(), ordered.getValue());
            if (!plan.contains("Index ") || otherwise.matcher(plan).find()) {
                refused.put(ordered.getKey(), plan);
            }
        }
        assertThat(refused).isEmpty();
    }

    private static void leaveSparsePages(Statement on) throws SQLException {
        on.execute("INSERT INTO tasktube_tube (name, type, pri, delay_ms, temporary, sub_queues) "
                + "SELECT 'tube-' || n, 'utube', 0, 0, false, true FROM generate_series(1, 2) n");
        on.execute("""
                INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, event_at, utube, blocked, content_type, data)
                SELECT n, 2, CASE WHEN n % 4 = 0 THEN '!' ELSE 'r' END, 0, n, statement_timestamp(),
                  statement_timestamp() + n * INTERVAL '1 second', 'utube-' || n, n % 4 = 1, 'text/plain',
                  convert_to(repeat('x', 600), 'UTF8')
                FROM generate_series(1, 100000) n""");
        on.execute("DELETE FROM tasktube_task WHERE id % 41 > 0");
        on.execute("""
                INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)
                VALUES (200000, 1, 'r', 0, 200000, statement_timestamp(), 'text/plain', '')""");
        on.execute("VACUUM (ANALYZE) tasktube_task, tasktube_tube");
    }

    private static Map<String, String> orderedStatements() {
        Statements sql = Statements.read("postgresql.sql");
        Map<String, String> ordered = new TreeMap<>();
        ordered.put(
                "claim(uuid, bigint, int, boolean, boolean, int, int, least, bigint, bigint, int, bigint, int, boolean)",
                sql.get("claim").text());
        ordered.put(PUT_FOR, sql.get("put_for").text());
        ordered.put("due(timestamptz, timestamptz, bigint, int)", sql.get("due").text());
        ordered.put("next", sql.get("next_deadline").text());
        ordered.put("poll(int[], int[], int[], int[])", sql.get("poll").text());
        ordered.put("lockBuried(int, int)", sql.get("lock_buried").text());
        ordered.put(
                "ready(int, least, bigint, bigint, int)", sql.get("scan_ready").text());
        ordered.put(
                "inState(int, text, least, bigint, bigint, int)",
                sql.get("scan_in_state").text());
        ordered.put(
                "blocked(int, text, least, bigint, bigint, int)",
                sql.get("scan_blocked").text());
        ordered.put(
                "before(int, int, bigint, bigint, int)", sql.get("ready_before").text());
        ordered.put(
                "blockedBefore(int, text, int, bigint, bigint, int)",
                sql.get("blocked_before").text());
        ordered.put("holders(int, int)", sql.get("holders").text());
        ordered.put("takeSlots(int, int, int)", sql.get("take_slots").text());
        ordered.put("newest(bigint, int)", sql.get("scan_newest").text());
        ordered.put("ofKind(bigint, text, bigint, int)", sql.get("scan_of_kind").text());
        ordered.put("oldest(int, int)", sql.get("oldest_ready").text());
        return ordered;
    }

    /**
     * PostgreSQL plans a statement anew for each call, as long as it expects that a plan for any arguments costs more
     * than the plans so far did on average. That takes longer than the call. A burst leaves pages for which it expects
     * that.
     */
    @Test
    void puts_claims_and_acks_are_planned_five_times_and_not_for_each_call() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection connection = database.getConnection();
                    Statement on = connection.createStatement()) {
                Map<String, String> hot = hotStatements();
                hot.keySet()
                        .removeIf(name -> !name.matches("(putFor|claim|ack|ackInSubQueue|ackUnlocked|release)\\(.*"));
                assertThat(hot).hasSize(6);
                for (Map.Entry<String, String> each : hot.entrySet()) {
                    assertThat(cost(plan(on, each.getKey(), each.getValue())))
                            .as("of the default of jit_above_cost")
                            .isLessThan(JIT_ABOVE_COST / 4);
                }
                useUntilPlansAreKept(on, hot);
                on.execute("INSERT INTO tasktube_tube (name, type, pri, delay_ms, temporary, sub_queues) "
                        + "VALUES ('hosts', 'fifo', 0, 0, false, false)");
                on.execute("""
                        INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)
                        SELECT n, 1, 'r', 0, n, statement_timestamp(), 'text/plain', convert_to(repeat('x', 256), 'UTF8')
                        FROM generate_series(1, 200000) n""");
                on.execute("ANALYZE tasktube_task, tasktube_tube");
                useUntilPlansAreKept(on, hot);
                on.execute("DELETE FROM tasktube_task WHERE id > 2");
                on.execute("VACUUM (ANALYZE) tasktube_task");
                useUntilPlansAreKept(on, hot);
                Map<String, Long> plans = new TreeMap<>();
                for (String each : hot.keySet()) {
                    plans.put(
                            each,
                            number(
                                    on,
                                    "SELECT custom_plans FROM pg_prepared_statements WHERE name = lower('"
                                            + each.replaceFirst("\\(.*", "") + "')"));
                }
                assertThat(plans)
                        .allSatisfy((name, number) -> assertThat(number).isEqualTo(5));
            }
        }
    }

    /** PostgreSQL looks at the new row then, for which it runs all subqueries. */
    @Test
    void an_ack_that_waited_for_another_change_of_its_task_ends_it() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            SqlStores.open(database, true, () -> {}).close();
            try (Connection changes = database.getConnection();
                    Connection acks = database.getConnection();
                    Statement change = changes.createStatement();
                    Statement ack = acks.createStatement();
                    Connection looks = database.getConnection();
                    Statement look = looks.createStatement()) {
                change.execute("""
                        INSERT INTO tasktube_task (id, tube_id, state, session, token, node, taken_at, pri, ord, created_at, content_type, data)
                        VALUES (1, 1, 't', '00000000-0000-0000-0000-000000000000', 1, 1, statement_timestamp(), 0, 1,
                          statement_timestamp(), 'text/plain', '')""");
                changes.setAutoCommit(false);
                change.execute("UPDATE tasktube_task SET pri = 1");
                String prepared = "PREPARE ack(bigint, int, uuid, bigint, int, boolean) AS "
                        + numbered(Statements.read("postgresql.sql").get("ack").text());
                ack.execute(prepared);
                CompletableFuture<Integer> acked = CompletableFuture.supplyAsync(() -> {
                    try {
                        return ack.executeUpdate(
                                "EXECUTE ack(1, 1, '00000000-0000-0000-0000-000000000000', 1, 1, false)");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                Eventually.holds(() -> hasWaiting(look), "the ack waits");
                changes.commit();
                assertThat(acked.get(1, TimeUnit.MINUTES)).isOne();
            }
        }
    }

    private static boolean hasWaiting(Statement on) {
        try {
            return number(on, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == 1;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void useUntilPlansAreKept(Statement on, Map<String, String> statements) throws SQLException {
        for (String each : statements.keySet()) {
            for (int i = 0; i < PLAN_IS_KEPT; i++) {
                explain(on, each);
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
                SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname ~ '^tasktube_(task|dirty|history)$')
                  + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname ~ '^tasktube_(task|dirty|history)$')""");
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
        hot.put("ack(bigint, int, uuid, bigint, int, boolean)", sql.get("ack").text());
        hot.put("ackInSubQueue(bigint, int, uuid, bigint, int, boolean" + MOVE_OF_REMOVED, full(sql, "ack"));
        hot.put("lockHeld(bigint[], int, uuid)", sql.get("lock_held").text());
        hot.put("ackAllInSubQueues(bigint[]" + MOVE_OF_REMOVED, full(sql, "ack_locked"));
        hot.put("release(bigint, int, uuid, bigint, int)", plain(sql, "release"));
        hot.put(
                "claim(uuid, bigint, int, boolean, boolean, int, int, int, bigint, bigint, int, bigint, int, boolean)",
                sql.get("claim").text());
        hot.put(PUT_FOR, sql.get("put_for").text());
        hot.put("ackUnlocked(int, uuid, bigint[], bigint[], bigint[], int)", plain(sql, "ack_unlocked"));
        hot.put("follow(bigint[])", plain(sql, "follow"));
        hot.put("waiting(bigint[])", sql.get("waiting").text());
        hot.put("lockWaiting(bigint[])", sql.get("lock_waiting").text());
        hot.put("makeDue(bigint[])", plain(sql, "make_due"));
        hot.put("endParents(bigint[])", sql.get("end_parents").text());
        hot.put("children(bigint[])", sql.get("children").text());
        hot.put("gone(bigint[])", sql.get("gone").text());
        hot.put("lookAtWaits(bigint, bigint, bigint, int)", sql.get("look").text());
        hot.put("openWaits(bigint[])", sql.get("open").text());
        hot.put("openParent(bigint[], bigint)", sql.get("lock_open_parent").text());
        hot.put("dig(bigint, int, text" + MOVE, full(sql, "dig"));
        hot.put("letGo(int, text" + MOVE, full(sql, "let_go"));
        hot.put("lockHolding(int)", sql.get("lock_holding").text());
        hot.put(
                "freeSeats(int, text, text, bigint, int, text, text)",
                sql.get("free_seats").text());
        hot.put("dropTasks(int, int, int, int)", sql.get("drop_tasks").text());
        hot.put(
                "truncate(int, int, int, int" + MOVE_OF_REMOVED,
                sql.get("truncate").text());
        hot.put(
                "orphans(bigint[], int, bigint[], int, bigint[], int, int)",
                sql.get("lock_orphans").text());
        hot.put("next", sql.get("next_deadline").text());
        hot.put("due(timestamptz, timestamptz, bigint, int)", sql.get("due").text());
        hot.put("lock(bigint[])", sql.get("lock_due").text());
        hot.put("deadlineToGone(bigint[])", plain(sql, "deadline_to_gone"));
        hot.put("poll(int[], int[], int[], int[])", sql.get("poll").text());
        return hot;
    }

    private static String plain(Statements sql, String change) {
        return TrackedStatement.of(sql, change, TrackedStatement.IDS).plain().text();
    }

    private static String full(Statements sql, String change) {
        return TrackedStatement.of(sql, change, TrackedStatement.IDS).full().text();
    }

    private static String plan(Statement on, String signature, String sql) throws SQLException {
        on.execute("PREPARE " + signature.replace("least", "int") + " AS " + numbered(sql));
        return explain(on, signature);
    }

    private static double cost(String plan) {
        Matcher cost = COST.matcher(plan);
        assertThat(cost.find()).as(plan).isTrue();
        return Double.parseDouble(cost.group(1));
    }

    private static String explain(Statement on, String signature) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (ResultSet rows = on.executeQuery("EXPLAIN EXECUTE "
                + signature
                        .replaceAll("[a-z]+\\[\\]", "'{1}'")
                        .replace("least", "-2147483648")
                        .replace("uuid", "'00000000-0000-0000-0000-000000000000'")
                        .replaceAll("\\b(bigint|int)\\b", "1")
                        .replace("timestamptz", "now()")
                        .replace("boolean", "true")
                        .replace("bytea", "'x'")
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
