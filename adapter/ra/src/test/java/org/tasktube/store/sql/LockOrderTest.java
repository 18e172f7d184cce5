package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationSize;
import org.tasktube.admin.TaskFilter;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Scan;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.SessionTerms;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Taken;
import org.tasktube.testing.Calls;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every two operations that lock several rows, each in a transaction of its own. A third transaction holds a lock in
 * the middle until both wait for it or are done, so that two which lock in different orders have some of the other's
 * rows for certain.
 */
@Tag("large")
class LockOrderTest {

    @Nested
    class OnH2 extends Rules {
        OnH2() {
            super(TestDatabase.H2);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        OnPostgreSql() {
            super(TestDatabase.POSTGRESQL);
        }
    }

    abstract static class Rules {

        private static final int TAKEN = 30;
        private static final int BURIED = 5;
        private static final int WAITING = 5;
        private static final int TASKS = TAKEN + BURIED + WAITING;
        private static final int CAPACITY = 2 * TASKS;
        private static final long TOKEN = 7;

        /** Long enough for both to reach a lock, where nothing says that they have. */
        private static final Duration GATE = Duration.ofMillis(300);

        private static final int SESSION_ROUNDS = 150;
        private static final int SERVERS = 4;

        /** What H2 says of one of two that wait for each other. PostgreSQL, which says 40P01, must never have to. */
        private static final String H2_DEADLOCK = "40001";

        private final TestDatabase kind;
        private final Holder me = new Holder(UUID.randomUUID(), 1_000);
        private HikariDataSource database;
        private TaskStore store;
        private Registry registry;
        private Operations acts;
        private long operation;
        private StoredTube tube;
        private long first;

        Rules(TestDatabase kind) {
            this.kind = kind;
        }

        @FunctionalInterface
        private interface Operation {
            void run();
        }

        private Map<String, Operation> operations() {
            Map<String, Operation> operations = new LinkedHashMap<>();
            operations.put("ackAll", () -> Calls.ackAll(store, tube, me, held()));
            operations.put("returnUnstarted", () -> Calls.returnUnstarted(store, tube, me, held()));
            operations.put("releaseSession", () -> Calls.releaseSession(store, tube, me.session(), ids()));
            operations.put("releaseAll", () -> Calls.releaseAll(store, tube));
            operations.put("truncate", () -> Calls.truncate(store, tube));
            operations.put("kick", () -> Calls.kick(store, tube, TASKS));
            operations.put("sweep", () -> store.sweep(any -> false));
            operations.put("release what dead servers held", () -> registry.releaseDead(Duration.ZERO));
            operations.put("return tasks without a holder", () -> registry.returnUnstarted(takings()));
            operations.put("promote", () -> store.promoteHeads(tube));
            operations.put("claim", () -> store.claim(tube, new Holder(UUID.randomUUID(), 2), OrderKey.START, TASKS));
            operations.put("putAll", () -> store.put(tube, newTasks()));
            operations.put("delete by an act on many tasks", () -> actOnMany(OperationAct.DELETE));
            operations.put("release by an act on many tasks", () -> actOnMany(OperationAct.RELEASE));
            operations.put("drop", () -> registry.dropTube(tube));
            return operations;
        }

        /** As a batch does: one group of tasks after the other, in one transaction. */
        private void actOnMany(OperationAct act) {
            Map<TaskState, List<TaskMeta>> groups =
                    store.scan(new Scan.Ids(ids()), Map.of(tube.id(), "many")).tasks().stream()
                            .map(ScannedTask::meta)
                            .filter(task -> act.from().contains(task.state()))
                            .collect(Collectors.groupingBy(TaskMeta::state));
            store.together(() -> {
                groups.forEach((state, tasks) -> {
                    List<Long> locked = acts.lock(operation, tube, state, tasks).ids();
                    acts.apply(operation, act, tube, state, locked);
                });
                return null;
            });
        }

        @Test
        @Tag("full")
        void operations_on_many_tasks_do_not_wait_for_each_other() throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(2);
            try (HikariDataSource pool = kind.create();
                    OpenStore open = SqlStores.open(pool, true, () -> {})) {
                database = pool;
                store = open.tasks();
                registry = open.registry();
                acts = open.operations();
                operation = acts.add(
                                OperationAct.DELETE, TaskFilter.ALL, "anna", "test", new OperationSize(1, false, 1))
                        .id();
                Map<String, Operation> operations = operations();
                List<String> names = List.copyOf(operations.keySet());
                for (int i = 0; i < names.size(); i++) {
                    for (int j = i; j < names.size(); j++) {
                        play(
                                threads,
                                names.get(i) + " beside " + names.get(j),
                                List.of(operations.get(names.get(i)), operations.get(names.get(j))));
                    }
                }
            } finally {
                threads.shutdownNow();
            }
        }

        private void play(ExecutorService threads, String pair, List<Operation> two) throws Exception {
            fill();
            List<Future<Optional<StoreException>>> played = new ArrayList<>();
            try (Connection gate = database.getConnection();
                    Statement on = gate.createStatement()) {
                gate.setAutoCommit(false);
                on.execute("SELECT id FROM tasktube_task WHERE id = " + (first + TAKEN / 2) + " FOR UPDATE");
                two.forEach(one -> played.add(threads.submit(() -> failure(one))));
                awaitAllWaitOrAreDone(played);
                gate.rollback();
                gate.setAutoCommit(true);
            }
            for (int i = 0; i < played.size(); i++) {
                Optional<StoreException> failure = played.get(i).get();
                if (failure.isPresent()) {
                    assertThat(isH2() ? state(failure.get()) : "a failure")
                            .as(pair + ": " + failure.get().getMessage())
                            .isEqualTo(H2_DEADLOCK);
                    two.get(i).run();
                }
            }
            check(pair);
            registry.tube("many").ifPresent(registry::dropTube);
        }

        private static Optional<StoreException> failure(Operation operation) {
            try {
                operation.run();
                return Optional.empty();
            } catch (StoreException e) {
                return Optional.of(e);
            }
        }

        private static String state(StoreException e) {
            return ((SQLException) e.getCause()).getSQLState();
        }

        private void awaitAllWaitOrAreDone(List<? extends Future<?>> played) throws SQLException {
            long end = System.nanoTime() + GATE.toNanos();
            String waiting = isH2()
                    ? "SELECT count(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE SESSION_STATE = 'BLOCKED'"
                    : "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted";
            while (number(waiting)
                            < played.stream().filter(one -> !one.isDone()).count()
                    && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(200_000);
            }
        }

        /** In the reverse order of their ids, on the pages and in the order of the tube. */
        private void fill() throws SQLException {
            tube = registry.createTube(TubeDefinition.limfifottl("many", CAPACITY), true)
                    .orElseThrow();
            first = number("SELECT " + (isH2() ? "NEXT VALUE FOR tasktube_task_seq" : "nextval('tasktube_task_seq')"))
                    * 1_000;
            String numbers = isH2()
                    ? "(SELECT x AS n FROM SYSTEM_RANGE(0, " + (TASKS - 1) + ")) s"
                    : "generate_series(0, " + (TASKS - 1) + ") n";
            execute("""
                    INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, event_at, utube, blocked,
                      content_type, data, session, token, node, taken_at, attempts, taken_count)
                    SELECT %1$d + n, -n, %2$d, CASE WHEN n < %3$d THEN 't' WHEN n < %4$d THEN '!' ELSE 'r' END, 0,
                      CURRENT_TIMESTAMP, CASE WHEN n < 10 THEN CURRENT_TIMESTAMP END, 'u' || MOD(n, %3$d), n >= %4$d,
                      'text/plain', %8$s,
                      CASE WHEN n < %3$d THEN CAST('%5$s' AS uuid) END, CASE WHEN n < %3$d THEN %6$d END,
                      CASE WHEN n < %3$d THEN 1000 END, CASE WHEN n < %3$d THEN CURRENT_TIMESTAMP END,
                      1, 1
                    FROM %7$s ORDER BY n DESC""".formatted(
                            first,
                            tube.id(),
                            TAKEN,
                            TAKEN + BURIED,
                            me.session(),
                            TOKEN,
                            numbers,
                            isH2() ? "X''" : "''::bytea"));
            execute("DELETE FROM tasktube_slot WHERE id IN (SELECT id FROM tasktube_slot WHERE tube_id = " + tube.id()
                    + " ORDER BY id FETCH FIRST " + TASKS + " ROWS ONLY)");
            execute("DELETE FROM tasktube_node");
            execute("INSERT INTO tasktube_node (name, seen_at, dead) VALUES ('dead', CURRENT_TIMESTAMP, TRUE)");
        }

        private void check(String pair) throws SQLException {
            boolean dropped = registry.tube("many").isEmpty();
            long tasks = number("SELECT count(*) FROM tasktube_task");
            long slots = number("SELECT count(*) FROM tasktube_slot");
            if (dropped) {
                store.removeOrphans();
                assertThat(number("SELECT (SELECT count(*) FROM tasktube_task) + (SELECT count(*) FROM tasktube_slot)"))
                        .as(pair)
                        .isZero();
            } else {
                assertThat(tasks + slots).as("tasks and free slots, " + pair).isEqualTo(CAPACITY);
                store.promoteHeads(tube);
                assertThat(number("""
                        SELECT count(*) FROM tasktube_task t WHERE blocked AND NOT EXISTS (
                          SELECT 1 FROM tasktube_task h
                          WHERE h.utube = t.utube AND h.state IN ('r', 't') AND NOT h.blocked)""")).as("tasks without a head, " + pair).isZero();
            }
        }

        /** Servers that come, go, and are taken for dead, with sessions that several of them know. */
        @Test
        void servers_that_come_and_go_with_their_sessions_do_not_wait_for_each_other() throws Exception {
            ExecutorService threads = Executors.newFixedThreadPool(SERVERS);
            try (HikariDataSource pool = kind.create();
                    OpenStore open = SqlStores.open(pool, true, () -> {})) {
                List<UUID> sessions =
                        IntStream.range(0, 3).mapToObj(i -> UUID.randomUUID()).toList();
                List<Future<?>> played = new ArrayList<>();
                for (int server = 0; server < SERVERS; server++) {
                    played.add(threads.submit(() -> comeAndGo(open.registry(), sessions)));
                }
                for (Future<?> one : played) {
                    one.get();
                }
            } finally {
                threads.shutdownNow();
            }
        }

        private static void comeAndGo(Registry registry, List<UUID> sessions) {
            int node = registry.registerNode("server");
            for (int round = 0; round < SESSION_ROUNDS; round++) {
                ThreadLocalRandom random = ThreadLocalRandom.current();
                UUID session = sessions.get(random.nextInt(sessions.size()));
                Duration ttr = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(1);
                switch (random.nextInt(6)) {
                    case 0, 1 -> registry.publish(session, node, SessionTerms.NONE);
                    case 2 -> registry.join(session, node);
                    case 3 -> registry.leave(session, node, Optional.of(ttr), Duration.ZERO);
                    case 4 -> registry.expireSessions();
                    default -> {
                        registry.leave(node, ttr);
                        node = registry.registerNode("server");
                    }
                }
            }
            registry.leave(node, Duration.ZERO);
        }

        private List<Task> held() {
            return IntStream.range(0, TAKEN)
                    .mapToObj(i -> new Task(
                            first + i,
                            tube.name(),
                            TaskState.TAKEN,
                            0,
                            1,
                            TOKEN,
                            Optional.of("u" + i),
                            Map.of(),
                            TaskData.of("")))
                    .toList();
        }

        private List<Long> ids() {
            return LongStream.range(first, first + TASKS).boxed().toList();
        }

        private List<Taken> takings() {
            return held().stream()
                    .map(task -> new Taken(false, tube.id(), task.id(), me.session(), TOKEN, me.node(), false, false))
                    .toList();
        }

        private List<NewTask> newTasks() {
            return IntStream.range(0, 5)
                    .mapToObj(i -> TaskToPut.of("").utube("u" + i).build())
                    .toList();
        }

        private boolean isH2() {
            return kind == TestDatabase.H2;
        }

        private void execute(String sql) throws SQLException {
            new Sql(database).execute(sql);
        }

        private long number(String query) throws SQLException {
            return new Sql(database).number(query);
        }
    }
}
