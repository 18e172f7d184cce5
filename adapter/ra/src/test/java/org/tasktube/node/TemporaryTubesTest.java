package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeFullException;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.sql.Statements;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Outage;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The tasks of temporary tubes are like any others, until the database crashes or a server starts alone. */
@Timeout(120)
class TemporaryTubesTest {

    private static final TubeDefinition TWO = TubeDefinition.limfifottl("t", 2).asTemporary();

    private static Tube there(RunningNode server) {
        return server.node().tube(new ClientConnection(), "t");
    }

    @ParameterizedTest
    @DatabaseSource
    void all_servers_see_them_and_one_that_starts_beside_another_keeps_them(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one")) {
            Tube here = one.node().createTube(new ClientConnection(), TWO);
            here.put("a");
            try (RunningNode two = new RunningNode(database, "two")) {
                Tube there = there(two);
                Task task = there.take(Duration.ZERO).orElseThrow();
                assertThat(task.text()).isEqualTo("a");
                assertThat(here.take(Duration.ZERO)).isEmpty();
                there.ack(task);
            }
            here.putAll(List.of("b", "c"), PutOptions.defaults());
            assertThatThrownBy(() -> here.put("d")).isInstanceOf(TubeFullException.class);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_server_that_starts_alone_removes_them_and_the_tube_stays_with_all_its_slots(TestDatabase kind) {
        try (HikariDataSource database = kind.create()) {
            try (RunningNode one = new RunningNode(database, "one")) {
                Tube tube = one.node().createTube(new ClientConnection(), TWO);
                tube.putAll(List.of("a", "b"), PutOptions.defaults());
                assertThat(tube.take(Duration.ZERO)).isPresent();
            }
            try (RunningNode again = new RunningNode(database, "one")) {
                assertThat(there(again).statistics().total()).isZero();
                fillsUp(there(again));
            }
        }
    }

    private static void fillsUp(Tube tube) {
        tube.putAll(List.of("c", "d"), PutOptions.defaults());
        assertThatThrownBy(() -> tube.put("e")).isInstanceOf(TubeFullException.class);
        assertThat(tube.take(Duration.ZERO).map(Task::text)).contains("c");
    }

    /** The database empties the table, as here by SQL, and keeps the slots that tasks had taken. */
    @ParameterizedTest
    @DatabaseSource
    void after_a_crash_of_the_database_the_tubes_are_empty_and_have_all_their_slots(TestDatabase kind)
            throws SQLException {
        try (HikariDataSource database = kind.create()) {
            Outage outage = new Outage(database);
            try (RunningNode one = new RunningNode(outage.source(), "one");
                    RunningNode two = new RunningNode(outage.source(), "two")) {
                Tube tube = one.node().createTube(new ClientConnection(), TWO);
                tube.putAll(List.of("a", "b"), PutOptions.defaults());
                Tube there = there(two);
                Task held = there.take(Duration.ZERO).orElseThrow();
                outage.begin(true);
                one.awaitState(AdapterState.WAITING);
                two.awaitState(AdapterState.WAITING);
                new Sql(database).execute("TRUNCATE TABLE tasktube_temporary");
                outage.begin(false);
                one.awaitState(AdapterState.RUNNING);
                two.awaitState(AdapterState.RUNNING);
                assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_slot"))
                        .isEqualTo(2);
                if (kind == TestDatabase.POSTGRESQL) {
                    assertThat(new Sql(database).number("SELECT pg_relation_size('tasktube_temporary') / 8192"))
                            .as("pages, by the number of which PostgreSQL plans")
                            .isGreaterThan(100);
                }
                Eventually.holds(() -> tube.statistics().total() == 0, "it is empty");
                assertThatThrownBy(() -> there.ack(held)).isInstanceOf(TaskNotFoundException.class);
                fillsUp(tube);
            }
        }
    }

    /** A frozen one would keep the lock for ever. */
    @ParameterizedTest
    @DatabaseSource
    void a_server_starts_although_another_one_gives_the_tubes_their_slots_back_and_does_not_end(TestDatabase kind)
            throws SQLException {
        try (HikariDataSource database = kind.create()) {
            try (RunningNode one = new RunningNode(database, "one")) {
                one.node().createTube(new ClientConnection(), TWO);
            }
            new Sql(database).execute("DELETE FROM tasktube_slot");
            try (Connection frozen = database.getConnection();
                    Statement lock = frozen.createStatement()) {
                frozen.setAutoCommit(false);
                lock.executeQuery(Statements.read(kind == TestDatabase.H2 ? "h2.sql" : "postgresql.sql")
                        .get("try_lock_slots")
                        .text());
                try (RunningNode two = new RunningNode(database, "two")) {
                    assertThat(two.node().state()).isEqualTo(AdapterState.RUNNING);
                }
                frozen.rollback();
            }
            try (RunningNode three = new RunningNode(database, "three")) {
                fillsUp(there(three));
            }
        }
    }
}
