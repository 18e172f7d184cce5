package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.SessionTerms;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transitioned;
import org.tasktube.testing.Calls;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** All times of one statement are of one reading of H2's clock, which goes on by a minute here each time it is read. */
public class OneReadingTest {

    private static final Duration TTR = Duration.ofHours(10);
    private static final Duration TTL = Duration.ofHours(100);
    private static final Duration DELAY = Duration.ofHours(1);
    private final List<String> readMore = new ArrayList<>();
    private final Holder me = new Holder(UUID.randomUUID(), 1);
    private HikariDataSource database;
    private OpenStore open;
    private TaskStore store;
    private StoredTube tube;
    private String statement = "";
    private int readBefore;

    /** Stands behind the alias; H2 calls public methods of public classes. */
    public static final class Clock {

        private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

        private static final AtomicInteger READINGS = new AtomicInteger();

        private Clock() {}

        public static Instant read() {
            return START.plus(Duration.ofMinutes(READINGS.incrementAndGet()));
        }
    }

    @BeforeEach
    void open() throws Exception {
        database = TestDatabase.H2.create();
        SqlStores.open(database, true, () -> {}).close();
        execute("DROP ALIAS tasktube_now");
        execute("CREATE ALIAS tasktube_now FOR '" + Clock.class.getName() + ".read'");
        readBefore = Clock.READINGS.get();
        open = SqlStores.open(HookedDataSource.of(database, this::begins), true, () -> {});
        store = open.tasks();
        tube = tube("times", false);
    }

    @AfterEach
    void close() {
        open.close();
        database.close();
    }

    private void begins(String next) {
        int read = Clock.READINGS.get();
        if (read - readBefore > 1) {
            readMore.add(read - readBefore + " readings: " + statement);
        }
        readBefore = read;
        statement = next;
    }

    @Test
    void no_statement_reads_the_clock_more_than_once() {
        playWith(tube);
        playWith(tube("hosts", true));
        playServers();
        begins("the end");
        assertThat(readMore).isEmpty();
    }

    private void playWith(StoredTube tube) {
        Optional<String> utube = tube.subQueues() ? Optional.of("a") : Optional.empty();
        store.put(tube, List.of(task(TaskState.READY, utube), task(TaskState.READY, Optional.empty())));
        store.put(tube, List.of(task(TaskState.DELAYED, utube)));
        long replaced = store.put(tube, List.of(task(TaskState.READY, utube))).id();
        store.replace(tube, replaced, TaskState.READY, task(TaskState.READY, utube));
        Calls.buryUnheld(store, tube, replaced, TaskState.READY);
        Calls.dig(store, tube, replaced);
        Calls.touch(store, tube, me, claim(tube), Duration.ofSeconds(1));
        Calls.heartbeat(store, tube, me, taken(tube));
        Calls.release(store, tube, me, taken(tube));
        Calls.release(store, tube, me, claim(tube), DELAY, Optional.empty());
        Calls.release(store, tube, me, claim(tube), Duration.ZERO, Optional.of(TTL));
        Calls.release(store, tube, me, claim(tube), DELAY, Optional.of(TTL));
        fill(tube);
        Calls.requeue(store, tube, me, claim(tube));
        Calls.fail(store, tube, me, claim(tube), failure(), Optional.of(Duration.ZERO));
        Calls.fail(store, tube, me, claim(tube), failure(), Optional.of(DELAY));
        fill(tube);
        Calls.fail(store, tube, me, claim(tube), failure(), Optional.empty());
        Calls.kick(store, tube, 5);
        Calls.bury(store, tube, me, claim(tube));
        fill(tube);
        Calls.done(store, tube, me, claim(tube), result());
        fill(tube);
        claim(tube);
        Calls.releaseAll(store, tube);
        store.poll(Set.of(tube.id()), Set.of(tube.id()));
        for (int i = 0; i < 3; i++) {
            store.sweep(any -> false);
        }
        store.reads().meta(tube, replaced);
        Calls.truncate(store, tube);
    }

    private void playServers() {
        Registry registry = open.registry();
        int node = registry.registerNode("a");
        registry.registerNode("b");
        Calls.beat(registry, node);
        registry.peers("a", DELAY, DELAY);
        UUID session = UUID.randomUUID();
        registry.publish(session, node, SessionTerms.NONE);
        registry.leave(session, node, Optional.of(DELAY), Duration.ZERO);
        registry.terms(session);
        registry.publish(session, node, SessionTerms.NONE);
        registry.leave(session, node, Optional.of(Duration.ofMillis(1)), Duration.ZERO);
        registry.expireSessions();
    }

    @Test
    void a_put_counts_all_times_from_its_moment() throws Exception {
        store.put(tube, List.of(task(TaskState.DELAYED, Optional.empty()), task(TaskState.DELAYED, Optional.empty())));
        assertNoneWhere("event_at <> " + plus("created_at", DELAY) + " OR expires_at <> " + plus("created_at", TTL));
    }

    @Test
    void a_replacement_counts_all_times_from_its_moment() throws Exception {
        long id = store.put(tube, List.of(task(TaskState.READY, Optional.empty())))
                .id();
        assertMillis(store.replace(tube, id, TaskState.READY, task(TaskState.DELAYED, Optional.empty())), DELAY);
        assertNoneWhere("event_at <> " + plus("created_at", DELAY) + " OR expires_at <> " + plus("created_at", TTL));
    }

    @Test
    void a_ttr_counts_from_when_the_task_was_taken() throws Exception {
        fill(tube);
        store.claim(tube, me, OrderKey.START, 5);
        assertNoneWhere("event_at <> " + plus("taken_at", TTR));
        assertThat(number("SELECT count(DISTINCT taken_at) FROM tasktube_task")).isEqualTo(1);
    }

    @Test
    void a_result_is_removed_when_its_ttl_is_over() throws Exception {
        fill(tube);
        assertMillis(Calls.done(store, tube, me, claim(tube), result()), TTL);
        assertNoneWhere("state = '-' AND event_at <> expires_at");
    }

    @Test
    void a_release_for_a_life_ends_with_it() throws Exception {
        fill(tube);
        assertMillis(Calls.release(store, tube, me, claim(tube), Duration.ZERO, Optional.of(TTL)), TTL);
        assertNoneWhere("event_at <> expires_at");
        assertMillis(Calls.release(store, tube, me, claim(tube), DELAY, Optional.of(TTL)), DELAY);
        assertNoneWhere("state = '~' AND " + plus("event_at", TTL) + " <> expires_at");
    }

    @Test
    void the_time_until_a_deadline_is_what_was_asked_for() {
        fill(tube);
        assertMillis(Calls.release(store, tube, me, claim(tube), DELAY, Optional.empty()), DELAY);
        Task task = claim(tube);
        assertMillis(Calls.heartbeat(store, tube, me, task), TTR);
        assertMillis(Calls.fail(store, tube, me, task, failure(), Optional.of(DELAY)), DELAY);
    }

    private static void assertMillis(Optional<Transitioned> applied, Duration expected) {
        assertThat(applied.orElseThrow().untilDeadline()).contains(expected);
    }

    private StoredTube tube(String name, boolean subQueues) {
        return open.registry()
                .createTube(
                        TubeDefinition.of(name, subQueues ? TubeDefinition.UTUBETTL : TubeDefinition.FIFOTTL),
                        subQueues)
                .orElseThrow();
    }

    private void fill(StoredTube tube) {
        for (int i = 0; i < 2; i++) {
            store.put(tube, List.of(task(TaskState.READY, Optional.empty())));
        }
    }

    private Task claim(StoredTube tube) {
        return store.claim(tube, me, OrderKey.START, 1).get(0).task();
    }

    private Task taken(StoredTube tube) {
        return store.reads().first(tube, TaskState.TAKEN).orElseThrow();
    }

    private static NewTask task(TaskState state, Optional<String> utube) {
        TaskToPut task = TaskToPut.of("a").ttl(TTL).ttr(TTR);
        utube.ifPresent(task::utube);
        return (state == TaskState.DELAYED ? task.delay(DELAY) : task).build();
    }

    private static TaskFailure failure() {
        return TaskFailure.of(new IllegalStateException("failed"));
    }

    private static TaskResult result() {
        return new TaskResult(TaskResult.Outcome.COMPLETED, TaskData.of("a"), TTL);
    }

    private static String plus(String column, Duration duration) {
        return "DATEADD(SECOND, " + duration.toSeconds() + ", " + column + ")";
    }

    private void assertNoneWhere(String condition) throws SQLException {
        assertThat(number("SELECT count(*) FROM tasktube_task WHERE " + condition))
                .isZero();
        assertThat(number("SELECT count(*) FROM tasktube_task")).isPositive();
    }

    private void execute(String sql) throws SQLException {
        new Sql(database).execute(sql);
    }

    private long number(String query) throws SQLException {
        return new Sql(database).number(query);
    }
}
