package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.tasktube.admin.OldTransaction;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A transaction that keeps dead rows is named, by the log once. */
@Tag("full")
@Isolated // it looks at the transactions of all tests
class OldTransactionsTest {

    private static final Duration OLD = Duration.ZERO;

    private final OldTransactions transactions = new OldTransactions();

    /** A test before may have left a statement that still runs, such as the drop of its database. */
    @BeforeEach
    void awaitTheEndOfOthers() {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create()) {
            Sql sql = new Sql(database);
            Eventually.holds(
                    () -> {
                        try {
                            return sql.number("SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                                            + " AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL)")
                                    == 0;
                        } catch (SQLException e) {
                            throw new AssertionError(e);
                        }
                    },
                    "there is no other transaction");
        }
    }

    @Test
    void a_process_is_named_with_the_statement_that_ends_it() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                OpenStore store = SqlStores.open(database, true, () -> {});
                LogLines log = new LogLines("org.tasktube.node");
                Connection holder = DriverManager.getConnection(database.getJdbcUrl(), database.getUsername(), "");
                Statement statement = holder.createStatement()) {
            statement.execute("SET application_name = 'reports'");
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            long pid = Sql.number(holder, "SELECT pg_backend_pid()");
            transactions.look(store.registry(), OLD);
            transactions.look(store.registry(), OLD);
            OldTransaction found = transactions.last().orElseThrow();
            assertThat(found.holder())
                    .startsWith("process " + pid + " of user postgres, database ")
                    .contains(", application \"reports\", at 127.0.0.1, idle");
            assertThat(found.nextStep()).isEqualTo("end it by SELECT pg_terminate_backend(" + pid + ")");
            assertThat(log.of("TASKTUBE0165")).singleElement().satisfies(line -> assertThat(line)
                    .contains("reports", found.nextStep()));
            transactions.look(store.registry(), Duration.ofMinutes(5));
            assertThat(transactions.last()).isEmpty();
            assertThat(new Sql(database).number(found.nextStep().substring("end it by ".length()) + "::int"))
                    .isEqualTo(1);
        }
    }

    @Test
    void of_two_the_one_is_named_that_keeps_more() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                OpenStore store = SqlStores.open(database, true, () -> {});
                Connection harmless = database.getConnection();
                Connection holder = database.getConnection()) {
            harmless.setAutoCommit(false);
            Sql.number(harmless, "SELECT 1");
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            long pid = Sql.number(holder, "SELECT pg_backend_pid()");
            new Sql(database).execute("UPDATE tasktube_schema SET version = version");
            // Its snapshot is a new one, though it began earlier
            Sql.number(harmless, "SELECT 1");
            transactions.look(store.registry(), OLD);
            assertThat(transactions.last().orElseThrow().holder()).startsWith("process " + pid + " ");
            harmless.rollback();
            holder.rollback();
        }
    }

    @Test
    void so_is_one_that_has_written_in_another_database() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                HikariDataSource elsewhere = TestDatabase.POSTGRESQL.create();
                OpenStore store = SqlStores.open(database, true, () -> {});
                Connection holder = elsewhere.getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("UPDATE tasktube_schema SET version = version");
            transactions.look(store.registry(), OLD);
            assertThat(transactions.last().orElseThrow().holder())
                    .contains(elsewhere.getJdbcUrl().replaceFirst(".*/(t[0-9a-f]+).*", "$1"));
            holder.rollback();
        }
    }

    @Test
    void so_is_a_prepared_transaction() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                OpenStore store = SqlStores.open(database, true, () -> {});
                Connection holder = database.getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("UPDATE tasktube_schema SET version = version");
            statement.execute("PREPARE TRANSACTION 'it''s old'");
            holder.commit();
            transactions.look(store.registry(), OLD);
            OldTransaction found = transactions.last().orElseThrow();
            assertThat(found.holder()).startsWith("the prepared transaction 'it''s old' of user postgres, database ");
            assertThat(found.nextStep()).startsWith("start its server");
            new Sql(database).execute("ROLLBACK PREPARED 'it''s old'");
            transactions.look(store.registry(), OLD);
            assertThat(transactions.last()).isEmpty();
        }
    }

    @Test
    void h2_has_none() throws Exception {
        try (HikariDataSource database = TestDatabase.H2.create();
                OpenStore store = SqlStores.open(database, true, () -> {});
                Connection holder = database.getConnection()) {
            holder.setAutoCommit(false);
            Sql.number(holder, "SELECT count(*) FROM tasktube_task");
            transactions.look(store.registry(), OLD);
            assertThat(transactions.last()).isEmpty();
        }
    }
}
