package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.History;
import org.tasktube.StoreException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The maintenance thread removes moves and operations that are older than their retention. */
@Tag("full")
@Timeout(60)
class RetentionTest {

    private static final int TUBES = 3;

    abstract static class Rules {

        private static HikariDataSource database;
        private static RunningNode running;
        private static final Queue<String> sent = new ConcurrentLinkedQueue<>();

        static void start(TestDatabase kind) {
            database = kind.create();
            running = new RunningNode(HookedDataSource.of(database, sent::add), "app-1");
        }

        @AfterAll
        static void stop() {
            running.close();
            database.close();
        }

        private static List<Tube> tubes(ClientConnection connection) {
            List<Tube> tubes = new ArrayList<>();
            for (int i = 0; i < TUBES; i++) {
                tubes.add(running.node()
                        .createTube(
                                connection,
                                TubeDefinition.fifottl(RunningNode.newName()).history(History.ALL)));
            }
            return tubes;
        }

        private static void removeOld() {
            NodeParts parts = running.node().parts();
            parts.calls().call(() -> {
                parts.retention().run();
                return null;
            });
        }

        @Test
        void an_operation_is_removed_90_days_after_its_end_and_a_lock_on_its_row_keeps_nothing_else() throws Exception {
            ClientConnection connection = new ClientConnection();
            Tube tube = tubes(connection).get(0);
            tube.bury(tube.put("old").id());
            TaskAdmin admin = running.node().admin(connection);
            List<Long> ids = new ArrayList<>();
            for (OperationAct act : List.of(OperationAct.RETRY, OperationAct.BURY)) {
                ids.add(OperationStart.of(admin, act, TaskFilter.parse("tube:" + tube.name()), "anna", "test")
                        .id());
                Eventually.holds(
                        () -> admin.operation(ids.get(ids.size() - 1)).state().isEnded(), "its end");
            }
            Sql sql = new Sql(database);
            sql.execute(
                    "UPDATE tasktube_operation SET ended_at = ended_at - INTERVAL '91' DAY WHERE id = " + ids.get(0));
            sql.execute("UPDATE tasktube_history SET at = at - INTERVAL '91' DAY");
            try (Connection other = database.getConnection();
                    Statement lock = other.createStatement()) {
                other.setAutoCommit(false);
                lock.executeQuery("SELECT id FROM tasktube_operation WHERE id = " + ids.get(0) + " FOR UPDATE")
                        .next();
                assertThatThrownBy(Rules::removeOld).isInstanceOf(StoreException.class);
                other.rollback();
            }
            assertThat(moves()).as("the moves are removed all the same").isZero();
            String old = "SELECT count(*) FROM tasktube_operation WHERE id = " + ids.get(0);
            assertThat(number(sql, old)).isEqualTo(1);
            removeOld();
            assertThat(admin.operations(Optional.empty(), 10))
                    .extracting(Operation::id)
                    .contains(ids.get(1))
                    .doesNotContain(ids.get(0));
        }

        /** It waits a second for the lock, and the thread has the deadlines of all tubes to keep. */
        @Test
        void a_kind_that_fails_is_tried_again_in_a_minute_and_not_with_each_batch_of_the_others() throws Exception {
            ClientConnection connection = new ClientConnection();
            Tube tube = tubes(connection).get(0);
            tube.put("x");
            TaskAdmin admin = running.node().admin(connection);
            long id = OperationStart.of(
                            admin, OperationAct.BURY, TaskFilter.parse("tube:" + tube.name()), "anna", "test")
                    .id();
            Eventually.holds(() -> admin.operation(id).state().isEnded(), "its end");
            Sql sql = new Sql(database);
            sql.execute("UPDATE tasktube_operation SET ended_at = ended_at - INTERVAL '91' DAY WHERE id = " + id);
            sql.execute("INSERT INTO tasktube_audit (done_at, who, needs, act, status, server)"
                    + " SELECT CURRENT_TIMESTAMP - INTERVAL '91' DAY, 'anna', 'OPERATE', 'kick', 200, 'app-1' FROM "
                    + (database.getJdbcUrl().startsWith("jdbc:h2")
                            ? "SYSTEM_RANGE(1, 5500)"
                            : "generate_series(1, 5500)"));
            try (Connection other = database.getConnection();
                    Statement lock = other.createStatement()) {
                other.setAutoCommit(false);
                lock.executeQuery("SELECT id FROM tasktube_operation WHERE id = " + id + " FOR UPDATE")
                        .next();
                sent.clear();
                assertThatThrownBy(Rules::removeOld).isInstanceOf(StoreException.class);
                Eventually.holds(() -> number(sql, "SELECT count(*) FROM tasktube_audit") == 0, "the audit is removed");
                assertThat(sent)
                        .filteredOn(text -> text.contains("DELETE FROM tasktube_operation"))
                        .hasSize(1);
                other.rollback();
            }
            removeOld();
        }

        private static long number(Sql sql, String query) {
            try {
                return sql.number(query);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static long moves() {
            return number(new Sql(database), "SELECT count(*) FROM tasktube_history");
        }

        @Test
        void old_moves_of_all_tubes_are_removed_and_young_ones_stay() throws Exception {
            ClientConnection connection = new ClientConnection();
            List<Tube> tubes = tubes(connection);
            for (Tube tube : tubes) {
                tube.bury(tube.put("old").id());
                tube.kick();
            }
            new Sql(database).execute("UPDATE tasktube_history SET at = at - INTERVAL '91' DAY");
            assertThat(moves()).isEqualTo(2 * TUBES);
            for (Tube tube : tubes) {
                tube.bury(tube.put("young").id());
            }
            removeOld();
            Eventually.holds(() -> moves() == TUBES, "only the young moves are left");
            assertThat(running.node()
                            .admin(connection)
                            .history(tubes.get(0).name(), tubes.get(0).put("x").id(), Optional.empty(), 10)
                            .events())
                    .hasSize(1);
        }
    }

    @Nested
    class OnH2 extends Rules {
        @BeforeAll
        static void start() {
            start(TestDatabase.H2);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        @BeforeAll
        static void start() {
            start(TestDatabase.POSTGRESQL);
        }
    }
}
