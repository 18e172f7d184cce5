package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskResult;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.AuditQuery;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskDetail;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TubeDetail;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Change;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The reads of the administration, which a viewer's requests use, cannot change anything. */
@Timeout(60)
class ReadOnlyTest {

    /** A statement that this test's thread sent, and whether its transaction was read-only. */
    private record Sent(String statement, boolean readOnly) {

        boolean isBegin() {
            return statement.startsWith("SET TRANSACTION") && statement.contains("READ ONLY;");
        }
    }

    private final List<Sent> sent = new CopyOnWriteArrayList<>();
    private final Thread me = Thread.currentThread();
    private boolean watching;

    private DataSource watched(TestDatabase kind, DataSource real) {
        return (ConnectionSource) () -> watched(kind, real.getConnection());
    }

    private Connection watched(TestDatabase kind, Connection real) {
        return Proxies.of(Connection.class, (method, arguments) -> {
            if (watching && method.getName().equals("prepareStatement") && Thread.currentThread() == me) {
                sent.add(new Sent((String) arguments[0], kind == TestDatabase.POSTGRESQL && isReadOnly(real)));
            }
            return Proxies.call(real, method, arguments);
        });
    }

    private static boolean isReadOnly(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            return false;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW transaction_isolation")) {
            row.next();
            boolean begun = row.getString(1).equals("repeatable read");
            return begun && readOnly(statement);
        }
    }

    private static boolean readOnly(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SHOW transaction_read_only")) {
            row.next();
            return row.getString(1).equals("on");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void each_read_sends_no_change_and_in_postgresql_is_in_a_read_only_transaction(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(watched(kind, database), "one");
                RunningNode two = new RunningNode(database, "two")) {
            ClientConnection connection = new ClientConnection();
            Tube tube = one.newTube(connection, TubeDefinition.UTUBETTL);
            Task failed = tube.put("a", PutOptions.defaults().utube("u"));
            TubeEngine engine = one.node().find(tube.name()).orElseThrow();
            Task claimed = engine.claimOn(connection, 1, Long.MAX_VALUE).get(0);
            engine.held()
                    .apply(
                            connection.session(),
                            claimed,
                            Change.failed(new TaskFailure("x.Y", "no", "x.Y: no"), Optional.empty()));
            tube.put("b", PutOptions.defaults().utube("u"));
            // A tube that this server has not seen
            Tube unseen = two.newTube(connection, TubeDefinition.FIFO);
            long there = unseen.put("c").id();
            TaskAdmin admin = one.node().admin(connection);
            watching = true;
            admin.tubeDetails();
            admin.search(TaskFilter.ALL, Optional.empty(), 10);
            admin.search(TaskFilter.parse("tube:" + tube.name() + " data:*a*"), Optional.empty(), 10);
            admin.search(TaskFilter.parse("id:" + failed.id()), Optional.empty(), 10);
            admin.search(TaskFilter.parse("state:taken node:one"), Optional.empty(), 10);
            admin.failures(10);
            admin.servers();
            admin.oldestReady();
            admin.operations(Optional.empty(), 10);
            admin.flow(Duration.ofHours(1));
            admin.history(tube.name(), failed.id(), Optional.empty(), 10);
            admin.timings();
            admin.audit(AuditQuery.ALL, OptionalLong.empty(), 10);
            admin.task(tube.name(), failed.id());
            admin.whyWaiting(tube.name(), failed.id());
            admin.task(unseen.name(), there);
            watching = false;
            assertThat(sent).hasSizeGreaterThan(15);
            assertThat(sent).extracting(Sent::statement).noneMatch(text -> text.toUpperCase(Locale.ROOT)
                    .matches("(?s).*\\b(INSERT|UPDATE|DELETE|MERGE|NEXTVAL|FOR SHARE|FOR KEY)\\b.*"));
            if (kind == TestDatabase.POSTGRESQL) {
                assertThat(sent.stream().filter(each -> !each.isBegin())).allMatch(Sent::readOnly);
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void one_task_is_read_whole(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one")) {
            for (boolean inMemory : new boolean[] {false, true}) {
                ClientConnection connection = new ClientConnection();
                Tube tube = (inMemory ? one.withTemporary() : one).newTube(connection, TubeDefinition.FIFOTTL);
                Task put = tube.put("grün", PutOptions.defaults().header("a", "1"));
                TubeEngine engine = one.node().find(tube.name()).orElseThrow();
                Task claimed = engine.claimOn(connection, 1, Long.MAX_VALUE).get(0);
                TaskFailure failure = new TaskFailure("x.Y", "no answer in 7 s", "x.Y: no answer");
                engine.held()
                        .applyOutcome(
                                connection.session(), claimed, Change.failed(failure, Optional.of(Duration.ZERO)));
                TaskAdmin admin = one.node().admin(connection);
                TaskDetail read = admin.task(tube.name(), put.id());
                assertThat(read.task()).isEqualTo(tube.peek(put.id()).orElseThrow());
                assertThat(read.found().meta().lastFailure()).contains(failure);
                assertThat(read.found().size()).isEqualTo(5);
                assertThat(read.result()).isEmpty();
                assertThat(read.failedAt().orElseThrow())
                        .isBetween(
                                read.found().meta().created(),
                                read.found().meta().now());
                Task taken = tube.take(Duration.ZERO).orElseThrow();
                tube.ack(taken, TaskResult.completed("done"));
                assertThat(admin.task(tube.name(), put.id()).result()).isEqualTo(tube.result(put.id()));
                assertThat(admin.tubeDetails())
                        .extracting(TubeDetail::definition)
                        .contains(tube.definition());
            }
        }
    }

    @Test
    void a_read_of_what_does_not_exist_names_it() {
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode one = new RunningNode(database, "one")) {
            ClientConnection connection = new ClientConnection();
            Tube tube = one.newTube(connection, TubeDefinition.FIFO);
            TaskAdmin admin = one.node().admin(connection);
            assertThatThrownBy(() -> admin.task("nosuchtube", 1)).isInstanceOf(TubeNotFoundException.class);
            assertThatThrownBy(() -> admin.task(tube.name(), 4_711)).isInstanceOf(TaskNotFoundException.class);
            assertThatThrownBy(() -> admin.task("0x", 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
