package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Promoted marks stay in PostgreSQL's index until vacuum: takes begin after them, and miss none that was committed
 * late.
 */
@Tag("full")
class RemovedMarksTest {

    private static final int ROUNDS = 8;

    /** More than what the tube's row is written for. */
    private static final int MARKS = 6_000;

    /** Two rounds of marks fill less, all of them fill 150. */
    private static final long MOST_PAGES = 60;

    private HikariDataSource database;
    private Connection connection;
    private Statement on;

    @BeforeEach
    void open() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        SqlStores.open(database, true, () -> {}).close();
        connection = database.getConnection();
        on = connection.createStatement();
        on.execute("ALTER TABLE tasktube_dirty SET (autovacuum_enabled = false)");
        on.execute("INSERT INTO tasktube_tube (name, type, pri, delay_ms, temporary, sub_queues)"
                + " VALUES ('hosts', 'utube', 0, 0, false, true)");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        database.close();
    }

    @Test
    void a_take_does_not_read_the_marks_that_were_promoted_before() throws Exception {
        markAndPromote();

        long before = pages();
        on.execute("SELECT tasktube_promote_heads(1)");
        assertThat(pages() - before).isLessThan(MOST_PAGES);
    }

    @Test
    void a_mark_is_found_whose_transaction_ends_after_many_later_ones() throws Exception {
        try (Connection slow = database.getConnection();
                Statement onSlow = slow.createStatement()) {
            slow.setAutoCommit(false);
            put(onSlow, 1);
            markAndPromote();
            slow.commit();
        }

        assertCanBeTaken(1);
        markAndPromote();
        put(on, 2);
        assertCanBeTaken(2);
        assertThat(number("SELECT marks_from FROM tasktube_tube")).isGreaterThan(MARKS);
    }

    /**
     * The number of the latest transaction that has ended is no bound: the slow one's is higher, and its mark is
     * lower.
     */
    @Test
    void a_mark_is_found_whose_transaction_began_after_the_one_that_left_the_latest() throws Exception {
        try (Connection quick = database.getConnection();
                Statement onQuick = quick.createStatement();
                Connection slow = database.getConnection();
                Statement onSlow = slow.createStatement()) {
            quick.setAutoCommit(false);
            slow.setAutoCommit(false);
            mark(onQuick, MARKS);
            put(onSlow, 1);
            mark(onQuick, 1);
            quick.commit();
            promoteAll();
            mark(on, 1);
            promoteAll();
            slow.commit();
        }
        assertCanBeTaken(1);
    }

    /** In a subtransaction, too: its own number is higher than that of the transaction, by which others know it. */
    @Test
    void a_mark_of_a_subtransaction_is_found_whose_transaction_ends_after_many_later_ones() throws Exception {
        try (Connection slow = database.getConnection();
                Statement onSlow = slow.createStatement()) {
            slow.setAutoCommit(false);
            onSlow.execute("SAVEPOINT s");
            put(onSlow, 1);
            onSlow.execute("RELEASE s");
            markAndPromote();
            slow.commit();
        }
        assertCanBeTaken(1);
    }

    /** A promoter in a transaction that has changed something has a number that is too low to write down. */
    @Test
    void a_mark_is_found_that_was_left_while_a_transaction_that_had_its_number_before_promotes() throws Exception {
        try (Connection early = database.getConnection();
                Statement onEarly = early.createStatement();
                Connection slow = database.getConnection();
                Statement onSlow = slow.createStatement()) {
            early.setAutoCommit(false);
            onEarly.execute("SELECT pg_current_xact_id()");
            slow.setAutoCommit(false);
            put(onSlow, 1);
            mark(on, MARKS);
            for (int i = 0; i < ROUNDS; i++) {
                onEarly.execute("SELECT tasktube_promote_heads(1)");
            }
            early.commit();
            mark(on, 1);
            promoteAll();
            slow.commit();
        }
        assertCanBeTaken(1);
    }

    @Test
    void marks_are_found_in_a_database_that_was_restored_from_one_with_higher_transaction_numbers() throws Exception {
        put(on, 1);
        on.execute("UPDATE tasktube_tube SET marks_upto = 20000, marks_end = '1000000000'");
        markAndPromote();

        assertCanBeTaken(1);
        assertThat(number("SELECT marks_from FROM tasktube_tube")).isGreaterThan(20_000);
    }

    /** Marks of sub-queues in which nothing is, as they are left by the ack of what was last in them. */
    private void markAndPromote() throws SQLException {
        for (int round = 0; round < ROUNDS; round++) {
            mark(on, MARKS);
            promoteAll();
            assertThat(number("SELECT count(*) FROM tasktube_dirty")).isZero();
        }
    }

    private static void mark(Statement on, int marks) throws SQLException {
        on.execute("INSERT INTO tasktube_dirty (tube_id, utube) SELECT 1, 'host-' || n FROM generate_series(1, %d) n"
                .formatted(marks));
    }

    /** One call reads some thousand marks. */
    private void promoteAll() throws SQLException {
        for (int i = 0; i < ROUNDS; i++) {
            on.execute("SELECT tasktube_promote_heads(1)");
        }
    }

    private static void put(Statement on, int id) throws SQLException {
        on.execute("""
                INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, utube, blocked, content_type, data)
                VALUES (%1$d, 1, 'r', 0, %1$d, statement_timestamp(), 'late-%1$d', true, 'text/plain', '')""".formatted(id));
        on.execute("INSERT INTO tasktube_dirty (tube_id, utube) VALUES (1, 'late-%d')".formatted(id));
    }

    private void assertCanBeTaken(int id) throws SQLException {
        on.execute("SELECT tasktube_promote_heads(1)");
        assertThat(number("SELECT count(*) FROM tasktube_task WHERE NOT blocked AND id = " + id))
                .isEqualTo(1);
    }

    /** Pages of the index of marks that were read so far. */
    private long pages() throws SQLException {
        on.execute("SELECT pg_stat_force_next_flush()");
        return number("SELECT idx_blks_hit + idx_blks_read FROM pg_statio_user_indexes"
                + " WHERE indexrelname = 'tasktube_dirty_pkey'");
    }

    private long number(String query) throws SQLException {
        try (ResultSet row = on.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
