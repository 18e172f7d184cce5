package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.TubeDefinition;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The timeout of a transaction may end it on another thread, while a call is between two statements. */
class EndBetweenStatementsTest {

    /** As pools do, gives the transaction's connection again, which commits each statement once the transaction is over. */
    private static final class Line implements ConnectionSource {

        private final HikariDataSource database;
        private Connection ofTransaction;

        Line(HikariDataSource database) {
            this.database = database;
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (ofTransaction == null) {
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
                                && ((String) arguments[0]).startsWith("DELETE FROM")
                        ? endsAfter(statement)
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

        private PreparedStatement endsAfter(PreparedStatement statement) {
            return Proxies.of(PreparedStatement.class, (method, arguments) -> {
                Object result = Proxies.call(statement, method, arguments);
                if (method.getName().startsWith("execute")) {
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
            Line line = new Line(database);
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
}
