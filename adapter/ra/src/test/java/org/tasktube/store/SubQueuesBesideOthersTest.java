package org.tasktube.store;

import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.itest.watchdog.Network;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.testing.Calls;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.OpenTransactions;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes from sub-queues beside transactions that do not end: none is waited for, and nothing is forgotten over them.
 */
@Tag("large")
class SubQueuesBesideOthersTest {

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

    /** As a server that is paused by its machine: its system takes as much of an answer as it has room for. */
    @Test
    void a_server_that_stands_still_and_reads_no_answer_holds_no_takes_of_others() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                Network network = new Network(URI.create(database.getJdbcUrl().substring("jdbc:".length()))
                        .getPort());
                Connection line = DriverManager.getConnection(
                        database.getJdbcUrl().replaceFirst(":\\d+/", ":" + network.port() + "/"), "postgres", "")) {
            try (OpenStore here = SqlStores.open(database, true, () -> {});
                    OpenStore there = SqlStores.open((ConnectionSource) () -> Proxies.leftOpen(line), true, () -> {})) {
                StoredTube tube = here.registry()
                        .createTube(TubeDefinition.of("hosts", TubeDefinition.UTUBE), true)
                        .orElseThrow();
                for (int i = 0; i < 40; i++) {
                    here.tasks().put(tube, List.of(Rules.task("large-" + i, 0, TaskData.of(new byte[1 << 20]))));
                }
                network.freezeAnswers();
                CompletableFuture<?> frozen = CompletableFuture.supplyAsync(() -> there.tasks()
                        .claim(tube, new Holder(UUID.randomUUID(), 2), 7, ClaimRange.of(OrderKey.START, 40)));
                Eventually.holds(() -> Rules.isSending(database), "the database cannot send the answer");
                here.tasks().put(tube, List.of(Rules.task("small", 0, TaskData.of("small"))));
                Holder me = new Holder(UUID.randomUUID(), 1);
                List<ClaimedTask> claimed = here.tasks().claim(tube, me, 8, ClaimRange.of(OrderKey.START, 1));
                network.thaw();
                frozen.get(60, TimeUnit.SECONDS);
                assertThat(claimed).hasSize(1);
            }
        }
    }

    abstract static class Rules {

        /** Longer than promotion waits for another promoter, and shorter than for ever. */
        private static final long SECONDS = 8;

        private static final int LOCKED = 20;

        private static final int MANY_MARKS = 12_000;

        /** More than one promotion reads. */
        private static final int MANY_PARKED = 1_100;

        private final HikariDataSource database;
        private final OpenStore open;
        private final TaskStore store;
        private final StoredTube tube;
        private final Holder me = new Holder(UUID.randomUUID(), 1);

        Rules(TestDatabase kind) {
            database = kind.create();
            try {
                open = SqlStores.open(database, true, () -> {});
            } catch (StoreUnavailableException e) {
                throw new IllegalStateException(e);
            }
            store = open.tasks();
            tube = open.registry()
                    .createTube(TubeDefinition.of("hosts", TubeDefinition.UTUBETTL), true)
                    .orElseThrow();
        }

        @AfterEach
        void close() {
            open.close();
            database.close();
        }

        @Test
        void a_promoter_that_stands_still_before_its_commit_does_not_hold_takes() throws Exception {
            AtomicReference<Thread> frozen = new AtomicReference<>();
            CountDownLatch thaw = new CountDownLatch(1);
            Consumer<String> standStill = statement -> {
                if (statement.equals("COMMIT") && Thread.currentThread() == frozen.get()) {
                    await(thaw);
                }
            };
            put("a", 0);
            try (OpenStore other = SqlStores.open(HookedDataSource.of(database, standStill), true, () -> {})) {
                Thread promoter = new Thread(() -> other.tasks().promoteHeads(tube));
                frozen.set(promoter);
                promoter.start();
                promoter.join(500);
                CompletableFuture<List<String>> taken = CompletableFuture.supplyAsync(() -> take(1));
                try {
                    assertThat(taken.get(SECONDS, TimeUnit.SECONDS)).hasSizeLessThanOrEqualTo(1);
                } finally {
                    thaw.countDown();
                    promoter.join();
                }
                assertThat(taken.get().isEmpty() ? take(1) : taken.get()).containsExactly("a");
            }
        }

        @Test
        void a_locked_head_that_is_overtaken_is_replaced_after_the_lock() throws Exception {
            long head = put("a", 5);
            store.promoteHeads(tube);
            try (Connection other = database.getConnection()) {
                other.setAutoCommit(false);
                lock(other, "id = " + head);
                put("a", 1);
                assertThat(take(1)).isEmpty();
                assertThat(take(1)).isEmpty();
                other.rollback();
                other.setAutoCommit(true);
            }
            assertThat(open.tasks().poll(List.of(tube.id()), List.of()).ready()).containsExactly(tube.id());
            assertThat(claim(1)).extracting(Task::pri).containsExactly(1);
        }

        @Test
        void an_overtaken_head_does_not_go_before_a_first_task_that_is_locked() throws Exception {
            put("a", 5);
            store.promoteHeads(tube);
            long first = put("a", 1);
            try (Connection other = database.getConnection()) {
                other.setAutoCommit(false);
                lock(other, "id = " + first);
                assertThat(take(1)).isEmpty();
                other.rollback();
                other.setAutoCommit(true);
            }
            assertThat(store.poll(List.of(tube.id()), List.of()).ready()).containsExactly(tube.id());
            assertThat(claim(1)).extracting(Task::id).containsExactly(first);
        }

        @Test
        void a_task_that_was_locked_when_it_was_next_is_taken_after_the_lock() throws Exception {
            long only = put("a", 0);
            try (Connection other = database.getConnection()) {
                other.setAutoCommit(false);
                lock(other, "id = " + only);
                assertThat(take(1)).isEmpty();
                assertThat(store.poll(List.of(tube.id()), List.of()).ready())
                        .as("a poll has no waiter to wake")
                        .isEmpty();
                other.rollback();
                other.setAutoCommit(true);
            }
            assertThat(store.poll(List.of(tube.id()), List.of()).ready()).containsExactly(tube.id());
            assertThat(take(1)).containsExactly("a");
        }

        @Test
        void takes_write_nothing_for_sub_queues_whose_head_is_locked() throws Exception {
            for (int i = 0; i < LOCKED; i++) {
                put("host-" + i, 5);
            }
            store.promoteHeads(tube);
            try (Connection other = database.getConnection()) {
                other.setAutoCommit(false);
                lock(other, "TRUE");
                for (int i = 0; i < LOCKED; i++) {
                    put("host-" + i, 1);
                }
                assertThat(take(1)).isEmpty();
                assertThat(number("SELECT count(*) FROM tasktube_dirty")).isZero();
                assertThat(number("SELECT count(*) FROM tasktube_parked")).isEqualTo(LOCKED);
                String before = parked();
                assertThat(take(1)).isEmpty();
                assertThat(take(1)).isEmpty();
                assertThat(parked()).isEqualTo(before);
                other.rollback();
                other.setAutoCommit(true);
            }
            assertThat(claim(2 * LOCKED)).hasSize(LOCKED).extracting(Task::pri).containsOnly(1);
            assertThat(number("SELECT count(*) FROM tasktube_parked")).isZero();
        }

        @Test
        void a_take_finds_what_is_ready_after_many_sub_queues_that_are_not_locked_any_more() throws Exception {
            store.put(tube, busy());
            assertThat(claim(MANY_PARKED).size() + claim(MANY_PARKED).size()).isEqualTo(MANY_PARKED);
            put("free", 0);
            try (Connection other = database.getConnection()) {
                other.setAutoCommit(false);
                lock(other, "TRUE");
                store.put(tube, busy());
                assertThat(take(1)).isEmpty();
                assertThat(number("SELECT count(*) FROM tasktube_parked")).isEqualTo(parksHeads() + 1);
                other.rollback();
                other.setAutoCommit(true);
            }
            assertThat(take(1)).containsExactly("free");
        }

        private List<NewTask> busy() {
            return IntStream.range(0, MANY_PARKED)
                    .mapToObj(i -> task("busy-" + i, 0))
                    .toList();
        }

        /** In PostgreSQL a locked head that is the sole member is parked when a second task is put. */
        private int parksHeads() {
            return database.getJdbcUrl().contains("h2") ? 0 : MANY_PARKED;
        }

        @Test
        void a_take_finds_what_is_ready_after_many_thousand_marks() throws Exception {
            put("busy", 0);
            assertThat(take(1)).containsExactly("busy");
            execute("INSERT INTO tasktube_dirty (tube_id, utube) SELECT id, 'busy' FROM tasktube_tube, "
                    + (database.getJdbcUrl().contains("h2")
                            ? "SYSTEM_RANGE(1, " + MANY_MARKS + ")"
                            : "generate_series(1, " + MANY_MARKS + ") n"));
            put("free", 0);
            assertThat(take(1)).containsExactly("free");
        }

        @Test
        void two_replacements_at_once_leave_no_sub_queue_without_a_head() throws Exception {
            long replaced = store.put(tube, List.of(task("a", 0))).id();
            AtomicReference<Thread> held = new AtomicReference<>();
            CountDownLatch reached = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            Consumer<String> stop = statement -> {
                if (statement.contains("pri = ?, created_at = ") && Thread.currentThread() == held.get()) {
                    reached.countDown();
                    await(go);
                }
            };
            try (OpenStore other = SqlStores.open(HookedDataSource.of(database, stop), true, () -> {})) {
                Thread first = new Thread(() -> other.tasks().replace(tube, replaced, TaskState.READY, task("c", 0)));
                held.set(first);
                first.start();
                assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
                CompletableFuture<Optional<Transitioned>> second = CompletableFuture.supplyAsync(
                        () -> store.replace(tube, replaced, TaskState.READY, task("b", 0)));
                waitABit(second);
                store.promoteHeads(tube);
                put("b", 9);
                store.promoteHeads(tube);
                go.countDown();
                first.join();
                second.get();
            }
            List<String> taken = take(5);
            assertThat(taken).hasSizeBetween(1, 2).contains("b");
            assertThat(taken.size()
                            + store.reads().page(tube, TaskState.READY, 0, 5).size())
                    .isEqualTo(2);
        }

        @Test
        void a_claim_skips_a_task_that_is_requeued_between_its_read_and_its_lock() throws Exception {
            put("a", 0);
            store.promoteHeads(tube);
            AtomicBoolean once = new AtomicBoolean();
            Consumer<String> requeueFirst = statement -> {
                if (statement.contains("FOR UPDATE SKIP LOCKED")
                        && statement.contains("id = ANY(?) AND state = 'r'")
                        && once.compareAndSet(false, true)) {
                    Task head = store.claim(tube, me, OrderKey.START, 1).get(0).task();
                    assertThat(Calls.requeue(store, tube, me, head)).isPresent();
                }
            };
            try (OpenTransactions inside = new OpenTransactions(HookedDataSource.of(database, requeueFirst))) {
                inside.begin();
                assertThat(inside.store().claim(tube, me, OrderKey.START, 1)).hasSizeLessThanOrEqualTo(1);
                inside.rollback();
            }
            assertThat(take(1)).containsExactly("a");
        }

        @Test
        void in_strict_order_a_failed_task_that_goes_on_during_a_promotion_is_the_next() throws Exception {
            StoredTube strict = open.registry()
                    .createTube(
                            TubeDefinition.of("strict", TubeDefinition.UTUBETTL).strict(), true)
                    .orElseThrow();
            store.put(strict, List.of(task("x", 0)));
            store.put(strict, List.of(task("x", 0)));
            Task first = store.claim(strict, me, OrderKey.START, 1).get(0).task();
            assertThat(Calls.bury(store, strict, me, first)).isPresent();
            AtomicBoolean once = new AtomicBoolean();
            Consumer<String> kick = statement -> {
                if ((statement.contains("state = 't' AND blocked") || statement.contains("tasktube_promote_heads"))
                        && once.compareAndSet(false, true)) {
                    assertThat(Calls.kick(store, strict, 1)).hasSize(1);
                }
            };
            try (OpenStore other = SqlStores.open(HookedDataSource.of(database, kick), true, () -> {})) {
                assertThat(other.tasks().claim(strict, me, OrderKey.START, 1))
                        .allSatisfy(claimed -> assertThat(claimed.task().id()).isEqualTo(first.id()));
            }
            assertThat(once).isTrue();
        }

        /** Until it has ended, or long enough to have reached a lock that it must wait for. */
        private static void waitABit(CompletableFuture<?> work) throws Exception {
            try {
                work.get(500, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                // It waits
            }
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private long put(String utube, int pri) {
            return store.put(tube, List.of(task(utube, pri))).id();
        }

        static boolean isSending(HikariDataSource database) {
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'ClientWrite'")) {
                row.next();
                return row.getInt(1) == 1;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static NewTask task(String utube, int pri) {
            return task(utube, pri, TaskData.of(utube));
        }

        static NewTask task(String utube, int pri, TaskData data) {
            return TaskToPut.of(data).utube(utube).pri(pri).build();
        }

        private List<String> take(int max) {
            return claim(max).stream().map(task -> task.utube().orElse("")).toList();
        }

        private List<Task> claim(int max) {
            return store.claim(tube, me, OrderKey.START, max).stream()
                    .map(ClaimedTask::task)
                    .toList();
        }

        private static void lock(Connection on, String which) throws SQLException {
            try (Statement statement = on.createStatement()) {
                statement.execute("UPDATE tasktube_task SET taken_count = taken_count WHERE " + which);
            }
        }

        /** In PostgreSQL with the numbers of the transactions that wrote them. */
        private String parked() throws SQLException {
            String columns = database.getJdbcUrl().contains("h2") ? "utube, task_id" : "utube, task_id, xmin, ctid";
            StringBuilder all = new StringBuilder();
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows =
                            statement.executeQuery("SELECT " + columns + " FROM tasktube_parked ORDER BY utube")) {
                while (rows.next()) {
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        all.append(rows.getString(i)).append(' ');
                    }
                }
            }
            return all.toString();
        }

        private void execute(String sql) throws SQLException {
            new Sql(database).execute(sql);
        }

        private long number(String query) throws SQLException {
            return new Sql(database).number(query);
        }
    }
}
