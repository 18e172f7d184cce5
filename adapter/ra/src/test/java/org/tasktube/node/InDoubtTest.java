package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.History;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A server dies between the prepare and the commit of a transaction in two phases. Until the recovery decides, other
 * servers see what was before, and wait for nothing of it. Then all of it holds, or nothing.
 */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
@Tag("large")
class InDoubtTest {

    private static final Duration NOW = Duration.ZERO;
    private static final Duration SOON = Duration.ofMillis(300);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration NEXT_CHECK = Duration.ofSeconds(70);
    private static final PutOptions PLAIN = PutOptions.defaults();

    private final HikariDataSource database = TestDatabase.POSTGRESQL.create();
    private final AgroalDataSource pool = Jta.pool(database);
    private RunningNode dead;
    private RunningNode other;
    private Tube mine;
    private Tube others;

    @BeforeEach
    void start() {
        dead = new RunningNode(pool, Jta.TRANSACTIONS, "dead");
        other = new RunningNode(database, "other");
    }

    @AfterEach
    void stop() {
        other.close();
        dead.kill();
        pool.close();
        database.close();
    }

    private void tube(TubeDefinition definition) {
        mine = dead.node().createTube(new ClientConnection(), definition);
        others = other.node().tube(new ClientConnection(), definition.name());
    }

    private static TubeDefinition fifottl() {
        return TubeDefinition.fifottl(RunningNode.newName());
    }

    /** Prepares a transaction with that work, and kills its server. */
    private void inDoubt(Consumer<Tube> work) throws Exception {
        Jta.MANAGER.begin();
        work.accept(mine);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("PREPARE TRANSACTION '" + mine.name() + "'");
        }
        // Nothing is left to roll back in the database
        Jta.MANAGER.rollback();
        dead.kill();
    }

    private void recover(boolean commits) throws SQLException {
        new Sql(database).execute((commits ? "COMMIT" : "ROLLBACK") + " PREPARED '" + mine.name() + "'");
    }

    private Optional<String> taken(Duration timeout) {
        return others.take(timeout).map(Task::text);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_put(boolean commits) throws Exception {
        tube(fifottl());
        inDoubt(tube -> tube.put("a"));
        assertThat(taken(SOON)).isEmpty();
        recover(commits);
        assertThat(taken(commits ? PATIENCE : SOON)).isEqualTo(commits ? Optional.of("a") : Optional.empty());
    }

    /** It was TAKEN by a server that is dead: it is READY again in both cases. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_take(boolean commits) throws Exception {
        tube(fifottl());
        mine.put("a");
        inDoubt(tube -> assertThat(tube.take(NOW)).isPresent());
        assertThat(taken(SOON)).isEmpty();
        recover(commits);
        assertThat(taken(PATIENCE)).contains("a");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_ack(boolean commits) throws Exception {
        tube(fifottl());
        mine.put("a");
        Task task = mine.take(NOW).orElseThrow();
        inDoubt(tube -> tube.ack(task));
        assertThat(taken(SOON)).isEmpty();
        recover(commits);
        assertThat(taken(commits ? SOON : PATIENCE)).isEqualTo(commits ? Optional.empty() : Optional.of("a"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_release(boolean commits) throws Exception {
        tube(fifottl());
        mine.put("a");
        Task task = mine.take(NOW).orElseThrow();
        inDoubt(tube -> tube.release(task, ReleaseOptions.defaults().delay(Duration.ofHours(1))));
        assertThat(taken(SOON)).isEmpty();
        recover(commits);
        if (commits) {
            assertThat(others.peek(task.id()).orElseThrow().state()).isEqualTo(TaskState.DELAYED);
        } else {
            assertThat(taken(PATIENCE)).contains("a");
        }
        assertThat(tasks()).isEqualTo(1);
    }

    private long tasks() throws SQLException {
        return new Sql(database).number("SELECT count(*) FROM tasktube_task");
    }

    @Test
    void the_order() throws Exception {
        tube(fifottl());
        mine.put("a");
        inDoubt(tube -> assertThat(tube.take(NOW)).isPresent());
        others.putAll(List.of("b", "c"), PLAIN);
        assertThat(taken(PATIENCE)).contains("b");
        recover(false);
        assertThat(taken(PATIENCE)).contains("a");
        assertThat(taken(PATIENCE)).contains("c");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_order_of_a_sub_queue(boolean commits) throws Exception {
        tube(TubeDefinition.utubettl(RunningNode.newName()));
        PutOptions sub = PLAIN.utube("sub");
        mine.putAll(List.of("a", "b"), sub);
        Task first = mine.take(NOW).orElseThrow();
        inDoubt(tube -> tube.ack(first));
        others.put("elsewhere", PLAIN.utube("another"));
        assertThat(taken(PATIENCE)).contains("elsewhere");
        assertThat(taken(SOON)).isEmpty();
        recover(commits);
        assertThat(taken(PATIENCE)).contains(commits ? "b" : "a");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void the_capacity(boolean commits) throws Exception {
        tube(TubeDefinition.limfifottl(RunningNode.newName(), 1));
        inDoubt(tube -> tube.put("a"));
        assertThat(others.put("b", PLAIN, SOON)).isEmpty();
        recover(commits);
        if (commits) {
            assertThat(others.put("b", PLAIN, SOON)).isEmpty();
            others.ack(others.take(PATIENCE).orElseThrow());
        }
        assertThat(others.put("b", PLAIN, PATIENCE)).isPresent();
        assertThat(others.put("c", PLAIN, SOON)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("full")
    void a_unique_key(boolean commits) throws Exception {
        tube(fifottl());
        inDoubt(tube -> tube.putUnique("key", "a", PLAIN, OnConflict.KEEP));
        assertThatThrownBy(() -> others.putUnique("key", "b", PLAIN, OnConflict.KEEP))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("key");
        recover(commits);
        assertThat(others.putUnique("key", "b", PLAIN, OnConflict.KEEP).text()).isEqualTo(commits ? "a" : "b");
        assertThat(tasks()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_ttl(boolean commits) throws Exception {
        tube(fifottl());
        inDoubt(tube -> tube.put("a", PLAIN.ttl(Duration.ofMillis(200))));
        assertThat(taken(SOON)).isEmpty();
        recover(commits);
        assertThat(taken(SOON)).isEmpty();
        Eventually.holds(() -> others.statistics().total() == 0, "its ttl ends it");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_ttr(boolean commits) throws Exception {
        tube(fifottl());
        mine.put("a", PLAIN.ttr(Duration.ofMillis(200)));
        Task task = mine.take(NOW).orElseThrow();
        inDoubt(tube -> tube.ack(task));
        assertThat(taken(SOON.multipliedBy(2))).isEmpty();
        recover(commits);
        assertThat(taken(commits ? SOON : PATIENCE)).isEqualTo(commits ? Optional.empty() : Optional.of("a"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("full")
    void a_delay(boolean commits) throws Exception {
        tube(fifottl());
        inDoubt(tube -> tube.put("a", PLAIN.delay(Duration.ofSeconds(5))));
        assertThat(taken(SOON)).isEmpty();
        recover(commits);
        assertThat(taken(SOON)).isEmpty();
        assertThat(taken(commits ? PATIENCE : SOON)).isEqualTo(commits ? Optional.of("a") : Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_result(boolean commits) throws Exception {
        tube(fifottl());
        mine.put("a");
        Task task = mine.take(NOW).orElseThrow();
        inDoubt(tube -> tube.ack(task, TaskResult.completed("done")));
        assertThat(others.result(task.id())).isEmpty();
        recover(commits);
        assertThat(others.result(task.id()).isPresent()).isEqualTo(commits);
        assertThat(taken(commits ? SOON : PATIENCE)).isEqualTo(commits ? Optional.empty() : Optional.of("a"));
    }

    /** The session is over before the transaction is. Its task is found by the check of each minute. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("full")
    void a_session(boolean commits) throws Exception {
        tube(fifottl());
        ClientConnection holder = new ClientConnection();
        mine = dead.node().tube(holder, mine.name());
        UUID session = dead.node().identify(holder, Duration.ofMillis(200));
        mine.put("a");
        Task task = mine.take(NOW).orElseThrow();
        inDoubt(tube -> tube.ack(task));
        Eventually.holds(() -> sessions(session) == 0, "the session is over");
        assertThat(taken(SOON)).isEmpty();
        recover(commits);
        assertThat(taken(commits ? SOON : NEXT_CHECK)).isEqualTo(commits ? Optional.empty() : Optional.of("a"));
    }

    private long sessions(UUID session) {
        try {
            return new Sql(database).number("SELECT count(*) FROM tasktube_session WHERE session = '" + session + "'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_temporary_tube(boolean commits) throws Exception {
        tube(fifottl().asTemporary());
        mine.put("a");
        inDoubt(tube -> tube.put("b"));
        recover(commits);
        assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_temporary"))
                .isEqualTo(commits ? 2 : 1);
        assertThat(taken(PATIENCE)).contains("a");
    }

    /** It leaves the locked task for later, and skips it if it is not free by then. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_operation_on_many_tasks(boolean commits) throws Exception {
        tube(fifottl());
        mine.putAll(List.of("a", "b", "c"), PLAIN);
        inDoubt(tube -> tube.ack(tube.take(NOW).orElseThrow()));
        TaskAdmin admin = other.node().admin(new ClientConnection());
        long id = OperationStart.of(admin, OperationAct.BURY, TaskFilter.parse("tube:" + others.name()), "anna", "test")
                .id();
        Eventually.holds(() -> others.statistics().buried() == 2, "the others are buried");
        recover(commits);
        Eventually.holds(() -> admin.operation(id).state() == OperationState.DONE, "the end of the operation");
        long skipped = admin.operation(id).skipped();
        assertThat(others.tasks(TaskState.BURIED, 0, 9)).hasSize((int) (3 - skipped));
        assertThat(skipped).isBetween(commits ? 1L : 0L, 1L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_history(boolean commits) throws Exception {
        tube(fifottl().history(History.ALL));
        Task task = mine.put("a");
        Task taken = mine.take(NOW).orElseThrow();
        inDoubt(tube -> tube.ack(taken));
        assertThat(acks(task)).isZero();
        recover(commits);
        assertThat(acks(task)).isEqualTo(commits ? 1 : 0);
    }

    private long acks(Task task) throws SQLException {
        return new Sql(database)
                .number("SELECT count(*) FROM tasktube_history WHERE event = 'ACK' AND task_id = " + task.id());
    }
}
