package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeFullException;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The timeout of a transaction may end it on another thread, while a call is between two statements. */
class EndBetweenStatementsTest {

    private static final Duration LONG = Duration.ofMinutes(2);

    /** As pools do, gives the transaction's connection again, which commits each statement once the transaction is over. */
    private static final class Line implements ConnectionSource {

        private final HikariDataSource database;
        private final String last;
        private final boolean alone;
        private Connection ofTransaction;

        /**
         * @param last the table from which a statement removes rows when the transaction ends
         * @param alone whether it ends before that statement, which then commits by itself
         */
        Line(HikariDataSource database, String last, boolean alone) {
            this.database = database;
            this.last = last;
            this.alone = alone;
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (ofTransaction == null || !isActive()) {
                Connection connection = database.getConnection();
                connection.setAutoCommit(!isActive());
                return connection;
            }
            return Proxies.of(Connection.class, (method, arguments) -> {
                if (method.getName().equals("close")) {
                    return null;
                }
                Object result = Proxies.call(ofTransaction, method, arguments);
                return result instanceof PreparedStatement statement
                                && ((String) arguments[0]).contains("DELETE FROM")
                                && ((String) arguments[0]).contains(last)
                        ? endsAt(statement)
                        : result;
            });
        }

        private static boolean isActive() throws SQLException {
            try {
                return Jta.MANAGER.getStatus() != Status.STATUS_NO_TRANSACTION;
            } catch (SystemException e) {
                throw new SQLException(e);
            }
        }

        private PreparedStatement endsAt(PreparedStatement statement) {
            return Proxies.of(PreparedStatement.class, (method, arguments) -> {
                boolean runs = method.getName().startsWith("execute");
                if (runs && alone) {
                    end();
                }
                Object result = Proxies.call(statement, method, arguments);
                if (runs && !alone) {
                    end();
                }
                return result;
            });
        }

        private void end() throws SystemException, SQLException {
            Transaction transaction = Jta.MANAGER.getTransaction();
            CompletableFuture.runAsync(() -> {
                        try {
                            transaction.rollback();
                        } catch (SystemException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .join();
            ofTransaction.rollback();
            ofTransaction.setAutoCommit(true);
        }
    }

    @ParameterizedTest
    @EnumSource
    void the_rest_of_a_put_is_not_done(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            Line line = new Line(database, "tasktube_slot", false);
            try (OpenStore store = new SqlStores(TestDatabase.SETTINGS, Jta.TRANSACTIONS).open(line, () -> {});
                    Connection connection = database.getConnection()) {
                StoredTube tube = store.registry()
                        .createTube(TubeDefinition.limfifottl("limited", 3), false)
                        .orElseThrow();
                Jta.MANAGER.begin();
                connection.setAutoCommit(false);
                line.ofTransaction = connection;
                assertThatThrownBy(() -> store.tasks()
                                .put(tube, List.of(TaskToPut.of("a").build())))
                        .isInstanceOf(TransactionNotActiveException.class);
                line.ofTransaction = null;
            } finally {
                if (Line.isActive()) {
                    Jta.MANAGER.rollback();
                }
            }
            Sql sql = new Sql(database);
            assertThat(sql.number("SELECT count(*) FROM tasktube_task")).isZero();
            assertThat(sql.number("SELECT count(*) FROM tasktube_slot")).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_statement_that_commits_by_itself_leaves_no_free_slot_and_no_sub_queue_behind(TestDatabase kind)
            throws Exception {
        try (HikariDataSource database = kind.create()) {
            Line line = new Line(database, "tasktube_task", true);
            try (RunningNode one = new RunningNode(line, Jta.TRANSACTIONS, "one");
                    Connection connection = database.getConnection()) {
                Tube limited = one.node().createTube(new ClientConnection(), TubeDefinition.limfifottl("limited", 2));
                Tube parted = one.node().createTube(new ClientConnection(), TubeDefinition.utubettl("parted"));
                limited.putAll(List.of("a", "b"), PutOptions.defaults());
                parted.putAll(List.of("a", "b"), PutOptions.defaults().utube("same"));
                for (Tube tube : List.of(limited, parted)) {
                    Task first = tube.take(Duration.ZERO).orElseThrow();
                    Jta.MANAGER.begin();
                    connection.setAutoCommit(false);
                    line.ofTransaction = connection;
                    try {
                        tube.ack(first);
                    } catch (TransactionNotActiveException e) {
                        // H2 has more statements for the rest of it
                    }
                    line.ofTransaction = null;
                    Jta.MANAGER.rollback();
                    assertThat(tube.take(LONG).map(Task::text)).contains("b");
                }
                assertThat(limited.put("c", PutOptions.defaults(), LONG)).isPresent();
                assertThatThrownBy(() -> limited.put("d")).isInstanceOf(TubeFullException.class);
            }
        }
    }
}
