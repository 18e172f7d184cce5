package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.Calls;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * In PostgreSQL others change the tasks of a sub-queue between any two steps of a take that promotes it: the take goes
 * on, no task is lost, and no two of one sub-queue are taken. Triggers stop the take at each step.
 */
@Tag("full")
class ChangedDuringPromotionTest {

    private static final int STEPS = 6;

    /** The steps of a session that is gated are numbered; it stops at one of them while the gate is shut. */
    private static final String GATE = """
            CREATE TABLE gate AS SELECT true AS shut, 0 AS step;
            CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE
              at CONSTANT integer := COALESCE(NULLIF(current_setting('tasktube.step', true), ''), '0')::integer + 1;
            BEGIN
              IF current_setting('tasktube.gated', true) = 'on' THEN
                PERFORM set_config('tasktube.step', at::text, false);
                WHILE (SELECT shut AND gate.step = at FROM gate) LOOP PERFORM pg_sleep(0.002); END LOOP;
              END IF;
              RETURN NULL;
            END $$;
            CREATE TRIGGER gate BEFORE UPDATE ON tasktube_task FOR EACH STATEMENT EXECUTE FUNCTION wait_at_gate();
            CREATE TRIGGER gate BEFORE INSERT OR DELETE ON tasktube_parked
              FOR EACH STATEMENT EXECUTE FUNCTION wait_at_gate();
            CREATE TRIGGER gate BEFORE DELETE ON tasktube_dirty FOR EACH STATEMENT EXECUTE FUNCTION wait_at_gate()""";

    private static HikariDataSource database;
    private static HikariDataSource gated;
    private static HikariDataSource impatient;
    private static OpenStore open;
    private static OpenStore stopped;

    private final Holder me = new Holder(UUID.randomUUID(), 1);
    private final StoredTube tube = open.registry()
            .createTube(TubeDefinition.of(RunningNode.newName(), TubeDefinition.UTUBETTL), true)
            .orElseThrow();

    /** How many tasks are left to take. */
    private int left = 2;

    /** What another transaction does to one of the two tasks of a sub-queue. */
    enum Change {
        REPLACED_BY_ONE_WITHOUT_SUB_QUEUE,
        REPLACED_BY_ONE_OF_ANOTHER_SUB_QUEUE,
        REPLACED_BY_ONE_OF_THE_SAME_SUB_QUEUE,
        REPLACED_BY_A_DELAYED_ONE,
        BURIED,
        BURIED_AND_DUG,
        DELETED,
        OVERTAKEN
    }

    @BeforeAll
    static void open() throws StoreUnavailableException, SQLException {
        database = TestDatabase.POSTGRESQL.create();
        gated = source("tasktube.gated=on", 1);
        impatient = source("lock_timeout=100ms", 5);
        open = SqlStores.open(impatient, true, () -> {});
        stopped = SqlStores.open(gated, true, () -> {});
        try (Connection connection = database.getConnection()) {
            execute(connection, GATE);
        }
    }

    private static HikariDataSource source(String option, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.getJdbcUrl() + "&options=-c%20" + option);
        config.setUsername("postgres");
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    @AfterAll
    static void close() {
        stopped.close();
        open.close();
        gated.close();
        impatient.close();
        database.close();
    }

    static Stream<Arguments> interleavings() {
        return Stream.of(Change.values())
                .flatMap(change -> Stream.of(true, false).flatMap(withHead -> Stream.of(true, false)
                        .flatMap(toFirst -> Stream.iterate(1, step -> step <= STEPS, step -> step + 1)
                                .map(step -> Arguments.of(change, withHead, toFirst, step)))));
    }

    @ParameterizedTest(name = "{0}, with a head {1}, the next one {2}, at step {3}")
    @MethodSource("interleavings")
    void a_take_goes_on_and_nothing_is_lost(Change change, boolean withHead, boolean toNext, int step)
            throws Exception {
        long first = put(TaskToPut.of("first").utube("host").pri(5));
        if (withHead) {
            open.tasks().promoteHeads(tube);
        }
        long second = put(TaskToPut.of("second").utube("host"));
        try (Connection ofTheTake = gated.getConnection()) {
            execute(ofTheTake, "SELECT set_config('tasktube.step', '0', false)");
        }
        try (Connection connection = database.getConnection()) {
            execute(connection, "UPDATE gate SET shut = true, step = " + step);
            CompletableFuture<List<Task>> take = CompletableFuture.supplyAsync(() -> take(stopped, 1));
            // There are takes of fewer steps
            if (isStopped(connection, take)) {
                changeUnlessLocked(change, toNext ? second : first);
            }
            execute(connection, "UPDATE gate SET shut = false");
            List<Task> taken = new ArrayList<>(take.get(60, TimeUnit.SECONDS));
            int ended = 0;
            do {
                taken.addAll(take(open, 10));
                assertThat(taken.stream().map(Task::utube).filter(Optional::isPresent))
                        .doesNotHaveDuplicates();
                ended += taken.size();
                taken.forEach(task ->
                        assertThat(Calls.ack(open.tasks(), tube, me, task)).isTrue());
                taken.clear();
                taken.addAll(take(open, 1));
            } while (!taken.isEmpty());
            assertThat(ended).isEqualTo(left);
        }
    }

    /** What the take has locked by now, others change after it. */
    private void changeUnlessLocked(Change change, long task) {
        int before = left;
        try {
            change(change, task);
        } catch (StoreException e) {
            assertThat(e).hasMessageContaining("lock timeout");
            left = before;
        }
    }

    private void change(Change change, long task) {
        switch (change) {
            case REPLACED_BY_ONE_WITHOUT_SUB_QUEUE -> replace(task, TaskToPut.of("replaced"));
            case REPLACED_BY_ONE_OF_ANOTHER_SUB_QUEUE ->
                replace(task, TaskToPut.of("replaced").utube("other"));
            case REPLACED_BY_ONE_OF_THE_SAME_SUB_QUEUE ->
                replace(task, TaskToPut.of("replaced").utube("host").pri(3));
            case REPLACED_BY_A_DELAYED_ONE -> {
                replace(task, TaskToPut.of("replaced").utube("host").delay(Duration.ofHours(1)));
                left--;
            }
            case BURIED -> {
                bury(task);
                left--;
            }
            case BURIED_AND_DUG -> {
                bury(task);
                assertThat(Calls.dig(open.tasks(), tube, task)).isPresent();
            }
            case DELETED -> {
                assertThat(Calls.delete(open.tasks(), tube, task)).isPresent();
                left--;
            }
            case OVERTAKEN -> {
                put(TaskToPut.of("third").utube("host").pri(-1));
                left++;
            }
        }
    }

    private void replace(long task, TaskToPut by) {
        assertThat(open.tasks().replace(tube, task, TaskState.READY, by.build()))
                .isPresent();
    }

    private void bury(long task) {
        assertThat(Calls.buryUnheld(open.tasks(), tube, task, TaskState.READY)).isPresent();
    }

    /** Waits until the take stands at the gate, or is over. */
    private static boolean isStopped(Connection connection, CompletableFuture<?> take) {
        Eventually.holds(() -> take.isDone() || stopped(connection) == 1, "the take stands at the gate, or is over");
        return !take.isDone();
    }

    private static long stopped(Connection connection) {
        try {
            return Sql.number(
                    connection,
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                            + " AND datname = current_database()");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private long put(TaskToPut task) {
        return open.tasks().put(tube, List.of(task.build())).id();
    }

    private List<Task> take(OpenStore store, int max) {
        return store.tasks().claim(tube, me, OrderKey.START, max).stream()
                .map(ClaimedTask::task)
                .toList();
    }

    private static void execute(Connection on, String sql) throws SQLException {
        try (Statement statement = on.createStatement()) {
            statement.execute(sql);
        }
    }
}
