package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.History;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskEvent;
import org.tasktube.admin.TubeChange;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The defaults of a tube can change while it works. */
@Timeout(60)
class ChangedTubeTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final ClientConnection connection = new ClientConnection();

    @ParameterizedTest
    @DatabaseSource
    void later_puts_have_the_new_defaults(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database)) {
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            TaskAdmin admin = one.node().admin(connection);
            long before = tube.put("a").id();
            TubeChange change = TubeChange.NONE.pri(7).ttl(HOUR).ttr(Duration.ofMinutes(5));
            TubeDefinition changed = admin.changeTube(tube.name(), change);
            assertThat(changed).isEqualTo(change.applyTo(TubeDefinition.fifottl(tube.name())));
            assertThat(tube.definition()).isEqualTo(changed);
            assertThat(one.node().tubes()).containsExactly(changed);
            assertThat(tube.meta(before).orElseThrow().ttl()).isEmpty();
            Task after = tube.put("b");
            assertThat(after.pri()).isEqualTo(7);
            assertThat(tube.meta(after.id()).orElseThrow().ttl()).contains(HOUR);
            assertThat(tube.meta(after.id()).orElseThrow().ttr()).contains(Duration.ofMinutes(5));

            admin.changeTube(tube.name(), TubeChange.NONE.ttl(Duration.ZERO).delay(HOUR));
            Task last = tube.put("c");
            assertThat(last.state()).isEqualTo(TaskState.DELAYED);
            assertThat(tube.meta(last.id()).orElseThrow().ttl()).isEmpty();
            assertThat(tube.meta(last.id()).orElseThrow().ttr()).contains(Duration.ofMinutes(5));
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_history_begins_and_ends_with_its_change(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database)) {
            for (boolean temporary : new boolean[] {false, true}) {
                RunningNode in = temporary ? one.withTemporary() : one;
                Tube tube = in.newTube(connection, TubeDefinition.FIFOTTL);
                TaskAdmin admin = one.node().admin(connection);
                Task task = tube.put("a");
                admin.changeTube(tube.name(), TubeChange.NONE.history(History.ALL));
                Task taken = tube.take(Duration.ZERO).orElseThrow();
                admin.changeTube(tube.name(), TubeChange.NONE.history(History.OFF));
                tube.ack(taken);
                assertThat(admin.history(tube.name(), task.id(), Optional.empty(), 9)
                                .events())
                        .extracting(TaskEvent::event)
                        .containsExactly(TubeEvent.TAKE);
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_sweep_knows_the_changed_history(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database)) {
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            TaskAdmin admin = one.node().admin(connection);
            admin.changeTube(
                    tube.name(), TubeChange.NONE.history(History.FAILURES).ttl(Duration.ofMillis(1)));
            Task task = tube.put("a");
            Eventually.holds(() -> tube.peek(task.id()).isEmpty(), "its ttl is over");
            assertThat(admin.history(tube.name(), task.id(), Optional.empty(), 9)
                            .events())
                    .extracting(TaskEvent::event)
                    .containsExactly(TubeEvent.TTL);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_transaction_sees_its_change_and_a_rollback_undoes_it(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode one = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            TaskAdmin admin = one.node().admin(connection);
            TubeChange change = TubeChange.NONE.pri(7).history(History.ALL);
            Jta.MANAGER.begin();
            admin.changeTube(tube.name(), change);
            assertThat(tube.put("a").pri()).isEqualTo(7);
            Jta.MANAGER.rollback();
            assertThat(tube.put("b").pri()).isZero();
            assertThat(tube.definition().history()).isEqualTo(History.OFF);

            Jta.MANAGER.begin();
            admin.changeTube(tube.name(), change);
            Jta.MANAGER.commit();
            Task task = tube.put("c");
            assertThat(task.pri()).isEqualTo(7);
            assertThat(admin.history(tube.name(), task.id(), Optional.empty(), 9)
                            .events())
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_rollback_of_a_change_leaves_the_history_of_sweeps_as_it_was(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode one = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            TaskAdmin admin = one.node().admin(connection);
            for (History before : List.of(History.ALL, History.OFF)) {
                TubeDefinition definition =
                        TubeDefinition.fifottl(RunningNode.newName()).history(before);
                Tube tube = one.node().createTube(connection, definition);
                Task task = tube.put("a", PutOptions.defaults().ttl(Duration.ofSeconds(1)));
                Jta.MANAGER.begin();
                admin.changeTube(
                        tube.name(), TubeChange.NONE.history(before == History.ALL ? History.OFF : History.ALL));
                Jta.MANAGER.rollback();
                Eventually.holds(() -> tube.peek(task.id()).isEmpty(), "the end of its ttl");
                long kept = new Sql(database)
                        .number("SELECT count(*) FROM tasktube_history WHERE event = 'TTL_OVER' AND task_id = "
                                + task.id());
                assertThat(kept).as("%s", before).isEqualTo(before == History.ALL ? 1 : 0);
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void another_server_follows(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            Tube there = two.node().tube(connection, tube.name());
            one.node().admin(connection).changeTube(tube.name(), TubeChange.NONE.pri(7));
            Eventually.holds(() -> there.put("x").pri() == 7, "the other server has the new default");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void an_application_finds_its_tube_after_a_change(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database)) {
            TubeDefinition wanted =
                    TubeDefinition.fifottl(RunningNode.newName()).ttl(HOUR);
            Node node = one.node();
            node.createTube(connection, wanted);
            node.admin(connection)
                    .changeTube(wanted.name(), TubeChange.NONE.pri(7).history(History.ALL));
            Tube again = node.createTubeIfNotExists(connection, wanted);
            assertThat(again.definition().pri()).isEqualTo(7);
            assertThatThrownBy(() -> node.createTubeIfNotExists(connection, TubeDefinition.fifo(wanted.name())))
                    .isInstanceOf(TubeExistsException.class);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_wrong_value_changes_nothing(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database)) {
            Tube tube = one.newTube(connection, TubeDefinition.FIFO);
            TaskAdmin admin = one.node().admin(connection);
            assertThatThrownBy(() -> admin.changeTube(tube.name(), TubeChange.NONE.ttl(HOUR)))
                    .isInstanceOf(UnsupportedOptionException.class)
                    .hasMessageContaining("ttl");
            assertThatThrownBy(() -> admin.changeTube(tube.name(), TubeChange.NONE.historyRetention(Duration.ZERO)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("historyRetention PT0S");
            assertThatThrownBy(() -> admin.changeTube(tube.name(), TubeChange.NONE.pri(-1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("pri -1");
            assertThatThrownBy(() -> admin.changeTube("nowhere", TubeChange.NONE))
                    .isInstanceOf(TubeNotFoundException.class);
            assertThat(tube.definition()).isEqualTo(TubeDefinition.fifo(tube.name()));
        }
    }
}
