package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tasktube.admin.OldTransaction;
import org.tasktube.store.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A transaction that keeps dead rows is named, by the log once. */
class OldTransactionsTest {

    private static final Duration OLD = Duration.ZERO;

    private final OldTransactions transactions = new OldTransactions();

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
                    .startsWith("process " + pid + " of user postgres, application \"reports\", at 127.0.0.1, idle");
            assertThat(found.end()).isEqualTo("SELECT pg_terminate_backend(" + pid + ")");
            assertThat(log.of("TASKTUBE0165")).singleElement().satisfies(line -> assertThat(line)
                    .contains("reports", found.end()));
            transactions.look(store.registry(), Duration.ofMinutes(5));
            assertThat(transactions.last()).isEmpty();
            assertThat(new Sql(database).number(found.end() + "::int")).isEqualTo(1);
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
            assertThat(found.holder()).isEqualTo("the prepared transaction it's old of user postgres");
            new Sql(database).execute(found.end());
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
