package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskExistsException;
import org.tasktube.TaskState;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeExistsException;
import org.tasktube.WrongStateException;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Jta;
import org.tasktube.testing.JtaNode;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * If a call fails in a transaction and the caller goes on, the commit fails. PostgreSQL would commit nothing, and its
 * driver would return from the commit as if all was well. H2 would commit the other calls, and half of the failed one.
 */
@Tag("full")
@Timeout(60)
@Tag("large")
class FailedCallInTransactionTest {

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Rules {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Rules {}

    abstract static class Rules {

        private HikariDataSource database;
        private JtaNode server;
        private Tube tube;
        private Task locked;

        @BeforeEach
        void start() throws Exception {
            TestDatabase kind = TestDatabase.of(this);
            database = kind.create();
            if (kind == TestDatabase.POSTGRESQL) {
                // As H2, which waits for a lock for two seconds
                String name = database.getJdbcUrl().replaceFirst(".*/", "").replaceFirst("\\?.*", "");
                new Sql(database).execute("ALTER DATABASE " + name + " SET lock_timeout = '2s'");
                database.getHikariPoolMXBean().softEvictConnections();
            }
            server = new JtaNode(database);
            tube = server.running().newTube(new ClientConnection(), TubeDefinition.FIFO);
            locked = tube.put("locked");
        }

        @AfterEach
        void stop() {
            server.close();
        }

        /** Deletes a task that another transaction has locked: the database gives up the wait. */
        private void fail() throws SQLException {
            failsBesideALock(() -> tube.delete(locked.id()));
        }

        /** The rollback of the timeout may be the reason of the failure, or come during it. */
        @Test
        void a_call_during_which_its_transaction_times_out_says_so() throws Exception {
            Jta.MANAGER.setTransactionTimeout(1);
            try (Connection other = database.getConnection();
                    Statement on = other.createStatement()) {
                Jta.MANAGER.begin();
                other.setAutoCommit(false);
                on.executeUpdate("UPDATE tasktube_task SET pri = 1 WHERE id = " + locked.id());
                assertThatThrownBy(() -> tube.delete(locked.id()))
                        .isInstanceOf(TransactionNotActiveException.class)
                        .hasMessageContaining("timeout")
                        .hasCauseInstanceOf(SQLException.class);
                other.rollback();
            } finally {
                Jta.MANAGER.rollback();
                Jta.MANAGER.setTransactionTimeout(0);
            }
            tube.delete(locked.id());
        }

        private void failsBesideALock(ThrowingCallable call) throws SQLException {
            try (Connection other = database.getConnection();
                    Statement on = other.createStatement()) {
                other.setAutoCommit(false);
                on.executeUpdate("UPDATE tasktube_task SET pri = 1 WHERE id = " + locked.id());
                assertThatThrownBy(call).isInstanceOf(StoreException.class);
                other.rollback();
            }
        }

        @Test
        void a_put_is_there_if_the_transaction_committed() throws Exception {
            Jta.MANAGER.begin();
            Task put = tube.put("a");
            fail();
            boolean committed = Jta.commits();
            assertThat(tube.peek(put.id()).isPresent())
                    .as("the put is there, as the commit returned %s", committed)
                    .isEqualTo(committed);
        }

        @Test
        void a_task_is_gone_if_the_transaction_that_acked_it_committed() throws Exception {
            Task task = tube.take(Duration.ZERO).orElseThrow();
            locked = tube.put("locked");
            Jta.MANAGER.begin();
            tube.ack(task);
            fail();
            boolean committed = Jta.commits();
            assertThat(tube.peek(task.id()).isEmpty())
                    .as("the task is gone, as the commit returned %s", committed)
                    .isEqualTo(committed);
        }

        @Test
        void statistics_count_what_is_there() throws Exception {
            Jta.MANAGER.begin();
            tube.put("a");
            fail();
            boolean unused = Jta.commits();
            assertThat(tube.statistics().ready())
                    .isEqualTo(tube.tasks(TaskState.READY, 0, 100).size());
        }

        @Test
        void a_temporary_tube_and_a_persistent_one_change_together() throws Exception {
            Tube temporary = server.running().withTemporary().newTube(new ClientConnection(), TubeDefinition.FIFO);
            Jta.MANAGER.begin();
            Task inMemory = temporary.put("a");
            Task inDatabase = tube.put("a");
            fail();
            boolean unused = Jta.commits();
            Optional<Task> there = tube.peek(inDatabase.id());
            assertThat(temporary.peek(inMemory.id()).isPresent()).isEqualTo(there.isPresent());
        }

        @Test
        void a_refused_call_leaves_its_transaction_as_it_was() throws Exception {
            Task other = tube.putUnique("k", "a", PutOptions.defaults(), OnConflict.FAIL);
            Jta.MANAGER.begin();
            assertThatThrownBy(() -> server.node().createTube(new ClientConnection(), tube.definition()))
                    .isInstanceOf(TubeExistsException.class);
            assertThatThrownBy(() -> tube.putUnique("k", "a", PutOptions.defaults(), OnConflict.FAIL))
                    .isInstanceOf(TaskExistsException.class);
            assertThatThrownBy(() -> tube.dig(other.id())).isInstanceOf(WrongStateException.class);
            Task put = tube.put("a");
            assertThat(Jta.commits()).isTrue();
            assertThat(tube.peek(put.id())).isPresent();
        }

        @Test
        void a_truncate_that_fails_half_way_removes_no_task() throws Exception {
            List<Task> put = tube.putAll(Collections.nCopies(250, "a"), PutOptions.defaults());
            locked = put.get(put.size() - 1);
            Jta.MANAGER.begin();
            failsBesideALock(() -> tube.truncate());
            assertThat(Jta.commits()).isFalse();
            assertThat(tube.tasks(TaskState.READY, 0, 1_000)).hasSize(put.size() + 1);
        }
    }
}
