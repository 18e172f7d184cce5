package org.tasktube.inflow;

import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.EditedTask;
import org.tasktube.ra.JtaTransactions;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TaskReceiver;

import static org.assertj.core.api.Assertions.assertThat;

/** A task that is put while a bean of this server is idle goes to it without a claim. */
@Timeout(120)
class HandOverTest {

    private final Queue<Task> delivered = new ConcurrentLinkedQueue<>();

    /** The beans of a test begin with a task by a permit. */
    private final Semaphore permits = new Semaphore(0);

    private Bean bean() {
        return new Bean(task -> {
            delivered.add(task);
            permits.acquire();
        });
    }

    /** Waits until the bean's claim loop waits for a task, and nothing else. */
    private static void awaitIdle(RunningAdapter adapter, Tube tube, int beans) {
        Eventually.holds(
                () -> adapter.node().find(tube.name()).orElseThrow().takers().asleep() == beans, "the beans wait");
    }

    /** Opens an adapter with a bean that waits for a task. */
    private RunningAdapter idle(TestDatabase kind, String sessions) {
        RunningAdapter adapter = new RunningAdapter(kind);
        adapter.activate(bean(), spec -> spec.setMaxSession(sessions));
        awaitIdle(adapter, adapter.tube(), 1);
        return adapter;
    }

    private static TaskState state(RunningAdapter adapter, Task task) {
        try {
            long taken =
                    adapter.sql().number("SELECT count(*) FROM tasktube_task WHERE state = 't' AND id = " + task.id());
            return taken == 1 ? TaskState.TAKEN : TaskState.READY;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T inTransaction(boolean commits, Supplier<T> work) throws Exception {
        Jta.MANAGER.begin();
        T answer;
        try {
            answer = work.get();
        } catch (RuntimeException | Error e) {
            Jta.MANAGER.rollback();
            throw e;
        }
        if (commits) {
            Jta.MANAGER.commit();
        } else {
            Jta.MANAGER.rollback();
        }
        return answer;
    }

    private void awaitDelivered(int tasks) {
        Eventually.holds(() -> delivered.size() >= tasks, tasks + " are delivered");
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_for_an_idle_bean_is_taken_by_the_put_itself_and_counts_as_put_and_take(TestDatabase kind)
            throws Exception {
        try (RunningAdapter adapter = idle(kind, "2")) {
            // The claim needs a connection, and a put has its own
            Task outside = adapter.tube().put("outside");
            assertThat(state(adapter, outside)).isEqualTo(TaskState.TAKEN);
            Task inside = inTransaction(true, () -> adapter.tube().put("inside"));
            assertThat(state(adapter, inside)).isEqualTo(TaskState.TAKEN);
            awaitDelivered(2);
            assertThat(delivered).extracting(Task::text).containsExactlyInAnyOrder("outside", "inside");
            assertThat(delivered).allSatisfy(task -> {
                assertThat(task.state()).isEqualTo(TaskState.TAKEN);
                assertThat(task.attempts()).isEqualTo(1);
                assertThat(task.token()).isPositive();
            });
            TubeStatistics statistics = adapter.tube().statistics();
            assertThat(statistics.ready()).isZero();
            assertThat(statistics.taken()).isEqualTo(2);
            assertThat(statistics.events().get(TubeEvent.PUT)).isEqualTo(2);
            assertThat(statistics.events().get(TubeEvent.TAKE)).isEqualTo(2);
            permits.release(2);
            adapter.awaitRemoved(outside);
            adapter.awaitRemoved(inside);
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "both are counted");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_without_an_idle_thread_leaves_the_task_ready_for_all(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            adapter.tube().put("first");
            awaitDelivered(1);
            Task second = adapter.tube().put("second");
            // The bean may have claimed it ahead, and then gives it back soon
            assertThat(adapter.tube().take(Duration.ofMinutes(2)).map(Task::id)).contains(second.id());
            permits.release(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_quick_bean_without_an_idle_thread_gets_its_next_tasks_without_a_claim(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = busy(kind)) {
            assertGetsOneWithoutClaim(adapter);
            permits.release(20);
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "all are done");
            assertThat(delivered).extracting(Task::attempts).containsOnly(1);
        }
    }

    /** Opens an adapter with a bean whose threads are all busy. It has had no task that took long. */
    private RunningAdapter busy(TestDatabase kind) {
        RunningAdapter adapter = idle(kind, "8");
        for (int i = 0; i < 8; i++) {
            adapter.tube().put("busy");
        }
        awaitDelivered(8);
        return adapter;
    }

    /** While the claim loop looks for tasks, a put leaves its task to it. */
    private static void assertGetsOneWithoutClaim(RunningAdapter adapter) throws SQLException {
        boolean isTakenByPut = false;
        for (int i = 0; i < 8 && !isTakenByPut; i++) {
            Eventually.holds(() -> hasPlace(receiver(adapter)), "there is a place, and no look for tasks");
            isTakenByPut = isTakenByPut(adapter, adapter.tube().put("x"));
        }
        assertThat(isTakenByPut).isTrue();
    }

    private static boolean isTakenByPut(RunningAdapter adapter, Task put) throws SQLException {
        String sql = "SELECT count(*) FROM tasktube_task WHERE taken_at = created_at AND id = " + put.id();
        return adapter.sql().number(sql) == 1;
    }

    private static boolean hasPlace(TaskReceiver bean) {
        boolean is = bean.reserve().or(() -> bean.reserveAhead(1)).isPresent();
        if (is) {
            bean.answered();
            bean.cancel();
        }
        return is;
    }

    private static TaskReceiver receiver(RunningAdapter adapter) {
        return adapter.node()
                .find(adapter.tube().name())
                .orElseThrow()
                .runtime()
                .receivers()
                .inTurn()
                .get(0);
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_that_has_become_slow_gives_back_what_was_put_ahead(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = busy(kind)) {
            Task next = adapter.tube().put("next");
            assertThat(adapter.tube().take(Duration.ofMinutes(2)).map(Task::id)).contains(next.id());
            Task last = adapter.tube().put("last");
            assertThat(adapter.tube().take(Duration.ofMinutes(2)).map(Task::id)).contains(last.id());
            permits.release(2);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void what_is_put_ahead_overtakes_no_ready_task_and_the_next_put_after_that_one_goes_to_the_bean(TestDatabase kind)
            throws Exception {
        try (RunningAdapter adapter = busy(kind)) {
            adapter.execute("INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, content_type, data) "
                    + "SELECT -1, -1, tube_id, 'r', pri, created_at, content_type, data FROM tasktube_task "
                    + "ORDER BY id FETCH FIRST 1 ROW ONLY");
            adapter.tube().put("behind it");
            permits.release(1);
            awaitDelivered(9);
            assertThat(delivered.stream().skip(8)).extracting(Task::id).containsExactly(-1L);
            permits.release(9);
            assertGetsOneWithoutClaim(adapter);
            permits.release(8);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void its_own_transaction_sees_all_ready_that_it_has_put_for_idle_threads_and_ahead(TestDatabase kind)
            throws Exception {
        permits.release(4);
        try (RunningAdapter adapter = idle(kind, "2")) {
            List<TaskState> seen = inTransaction(true, () -> {
                List<Task> put = IntStream.range(0, 4)
                        .mapToObj(n -> adapter.tube().put("x"))
                        .toList();
                return put.stream()
                        .map(task ->
                                adapter.tube().peek(task.id()).orElseThrow().state())
                        .toList();
            });
            assertThat(seen).containsOnly(TaskState.READY).hasSize(4);
            awaitDelivered(4);
            assertThat(delivered).extracting(Task::attempts).containsOnly(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_wake_that_finds_the_bean_busy_is_for_the_next_in_line(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            adapter.tube().put("first");
            awaitDelivered(1);
            CompletableFuture<Task> take =
                    CompletableFuture.supplyAsync(() -> adapter.tube().take());
            awaitIdle(adapter, adapter.tube(), 2);
            adapter.tube().put("second");
            assertThat(take.get(60, TimeUnit.SECONDS).text()).isEqualTo("second");
            permits.release(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_take_that_waited_first_gets_the_task(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            CompletableFuture<Task> take =
                    CompletableFuture.supplyAsync(() -> adapter.tube().take());
            awaitIdle(adapter, adapter.tube(), 1);
            adapter.activate(bean());
            awaitIdle(adapter, adapter.tube(), 2);
            adapter.tube().put("x");
            Eventually.holds(() -> take.isDone() || !delivered.isEmpty(), "one of both gets the task");
            if (!take.isDone()) {
                // A wake without a task, as of a count, had put the take behind the bean
                permits.release(1);
                awaitIdle(adapter, adapter.tube(), 2);
                adapter.tube().put("y");
            }
            assertThat(take.get(2, TimeUnit.MINUTES).text()).isIn("x", "y");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_task_that_is_ready_before_it_is_not_overtaken(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            // As another server puts it: this one learns of it by its poll only
            adapter.execute("INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)"
                    + " SELECT 1000000, id, 'r', 0, 0, CURRENT_TIMESTAMP, 'text/plain', "
                    + (kind == TestDatabase.H2 ? "X'78'" : "decode('78', 'hex')")
                    + " FROM tasktube_tube WHERE name = '" + adapter.tube().name() + "'");
            permits.release(2);
            adapter.tube().put("later");
            awaitDelivered(2);
            assertThat(delivered).extracting(Task::text).containsExactly("x", "later");
        }
    }

    @Test
    void puts_that_read_the_entries_of_many_removed_tasks_leave_their_tasks_to_claims() throws Exception {
        try (RunningAdapter adapter = idle(TestDatabase.POSTGRESQL, "16");
                Connection old = adapter.sql().database().getConnection()) {
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(Sql.number(old, "SELECT count(*) FROM tasktube_task")).isZero();
            assertThat(isPutForTheBean(adapter)).isTrue();
            adapter.execute("INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)"
                    + " SELECT -n, t.id, 'r', 0, 0, statement_timestamp(), 'none', '' FROM tasktube_tube t,"
                    + " generate_series(1, 100000) n; DELETE FROM tasktube_task WHERE id < 0");
            boolean isForTheBean = true;
            for (int puts = 0; isForTheBean && puts < 10; puts++) {
                isForTheBean = isPutForTheBean(adapter);
            }
            assertThat(isForTheBean).isFalse();
            permits.release(100);
        }
    }

    @Test
    void large_tasks_go_to_the_bean_as_small_ones_do() throws Exception {
        byte[] data = new byte[900_000];
        new Random(1).nextBytes(data);
        int forTheBean = 0;
        try (RunningAdapter adapter = idle(TestDatabase.POSTGRESQL, "4")) {
            for (int i = 1; i <= 15; i++) {
                Task task = adapter.tube().put(data);
                awaitDelivered(i);
                forTheBean += isTakenByItsPut(adapter, task) ? 1 : 0;
                permits.release(1);
                adapter.awaitRemoved(task);
            }
        }
        assertThat(forTheBean).isGreaterThan(10);
    }

    @Test
    void one_pause_of_the_database_stops_the_puts_for_a_bean_for_a_moment_only() throws Exception {
        permits.release(1_000);
        try (RunningAdapter adapter = idle(TestDatabase.POSTGRESQL, "32")) {
            adapter.execute("CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$ BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END $$; CREATE TRIGGER pause BEFORE INSERT ON"
                    + " tasktube_task FOR EACH ROW EXECUTE FUNCTION pause()");
            CompletableFuture.allOf(IntStream.range(0, 12)
                            .mapToObj(n -> CompletableFuture.runAsync(
                                    () -> adapter.tube().put("x"), work -> new Thread(work).start()))
                            .toArray(CompletableFuture[]::new))
                    .join();
            adapter.execute("DROP TRIGGER pause ON tasktube_task");
            awaitDelivered(12);
            permits.drainPermits();
            Eventually.holds(() -> isPutForTheBeanQuietly(adapter), "a put is for the bean again");
            permits.release(1_000);
        }
    }

    private boolean isPutForTheBeanQuietly(RunningAdapter adapter) {
        try {
            return isPutForTheBean(adapter);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            permits.release(1);
        }
    }

    /** Puts a task, which a bean takes. Returns whether it was TAKEN from its put on. */
    private boolean isPutForTheBean(RunningAdapter adapter) throws SQLException {
        int before = delivered.size();
        Task task = adapter.tube().put("x");
        awaitDelivered(before + 1);
        return isTakenByItsPut(adapter, task);
    }

    private static boolean isTakenByItsPut(RunningAdapter adapter, Task task) throws SQLException {
        return adapter.sql()
                        .number("SELECT count(*) FROM tasktube_task WHERE taken_at = created_at AND id = " + task.id())
                == 1;
    }

    @ParameterizedTest
    @DatabaseSource
    void a_rollback_leaves_no_task_and_the_bean_as_idle_as_before(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            for (int i = 0; i < 5; i++) {
                inTransaction(false, () -> adapter.tube().put("undone"));
            }
            Task task = inTransaction(true, () -> adapter.tube().put("done"));
            assertThat(state(adapter, task)).isEqualTo(TaskState.TAKEN);
            awaitDelivered(1);
            assertThat(delivered).extracting(Task::text).containsExactly("done");
            assertThat(adapter.tube().statistics().total()).isEqualTo(1);
            permits.release(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void its_own_transaction_sees_it_ready_and_can_take_bury_and_delete_it(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "8")) {
            Tube tube = adapter.tube();
            inTransaction(true, () -> {
                Task seen = tube.put("seen");
                assertThat(tube.peek(seen.id()).orElseThrow().state()).isEqualTo(TaskState.READY);
                assertThat(tube.meta(seen.id()).orElseThrow().attempts()).isZero();
                Task taken = tube.put("taken");
                assertThat(tube.take(2, Duration.ZERO)).extracting(Task::id).containsExactly(seen.id(), taken.id());
                tube.bury(tube.put("buried").id());
                tube.delete(tube.put("deleted").id());
                return seen;
            });
            assertThat(delivered).isEmpty();
            assertThat(tube.peekBuried().map(Task::text)).contains("buried");
            TubeStatistics statistics = tube.statistics();
            assertThat(statistics.ready()).isZero();
            assertThat(statistics.taken()).isEqualTo(2);
            assertThat(statistics.buried()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void the_tasks_of_one_transaction_begin_in_order(TestDatabase kind) throws Exception {
        permits.release(1_000);
        try (RunningAdapter adapter = idle(kind, "1")) {
            for (int i = 0; i < 40; i++) {
                delivered.clear();
                List<Long> ids = inTransaction(true, () -> IntStream.range(0, 5)
                        .mapToObj(n -> adapter.tube().put("x").id())
                        .toList());
                awaitDelivered(5);
                assertThat(delivered).extracting(Task::id).containsExactlyElementsOf(ids);
            }
        }
    }

    /** The bean's claims have read beyond the first of them by then. */
    @ParameterizedTest
    @DatabaseSource
    void the_tasks_of_one_transaction_begin_in_order_also_beside_later_ones_of_others(TestDatabase kind)
            throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            permits.release(4);
            inTransaction(true, () -> {
                adapter.tube().put("first");
                CompletableFuture.runAsync(() -> claimOneAndHandOverOne(adapter, "1"))
                        .join();
                return adapter.tube().put("second");
            });
            awaitDelivered(4);
            assertThat(delivered).extracting(Task::text).containsExactly("claimed", "handed over", "first", "second");
        }
    }

    /** Does something after the commit of the caller's transaction, and before the adapter learns of it. */
    private static void beforeEffects(Runnable action) {
        aroundCommit(() -> {}, action);
    }

    /** Does something in the commit, as a last step of an application, and something before the adapter learns of it. */
    private static void aroundCommit(Runnable step, Runnable action) {
        Jta.REGISTRY.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                step.run();
            }

            @Override
            public void afterCompletion(int status) {
                action.run();
            }
        });
    }

    /** A claim can see them before this server learns of the commit, and began at the first task not long ago. */
    @ParameterizedTest
    @DatabaseSource
    void the_tasks_of_one_transaction_begin_in_order_also_if_a_claim_sees_them_first(TestDatabase kind)
            throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Tube tube = adapter.tube();
            permits.release(5);
            inTransaction(true, () -> {
                beforeEffects(() -> lookAtOnce(adapter, tube));
                return putAroundClaims(adapter, tube);
            });
            assertDeliveredInOrder();
        }
    }

    /** Puts two tasks. Between them the bean begins, and claims from behind the first one. */
    private Task putAroundClaims(RunningAdapter adapter, Tube tube) {
        tube.put("first");
        CompletableFuture.runAsync(() -> {
                    claimOneAndHandOverOne(adapter, "1");
                    adapter.awaitRemoved(tube.putAll(List.of("claimed too"), PutOptions.defaults())
                            .get(0));
                    awaitIdle(adapter, tube, 1);
                })
                .join();
        return tube.put("second");
    }

    private void lookAtOnce(RunningAdapter adapter, Tube tube) {
        adapter.node().find(tube.name()).orElseThrow().takers().wakeOneForMore();
        awaitDelivered(4);
    }

    private void assertDeliveredInOrder() {
        awaitDelivered(5);
        assertThat(delivered)
                .extracting(Task::text)
                .containsExactly("claimed", "handed over", "claimed too", "first", "second");
    }

    /** The adapter has had its own last steps before those of an application. */
    @ParameterizedTest
    @DatabaseSource
    void the_tasks_of_a_last_step_before_the_commit_begin_in_order(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Tube tube = adapter.tube();
            permits.release(5);
            inTransaction(true, () -> {
                aroundCommit(() -> putAroundClaims(adapter, tube), () -> lookAtOnce(adapter, tube));
                return adapter.newTube().put("before that");
            });
            assertDeliveredInOrder();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_task_of_a_last_step_before_the_commit_comes_before_a_later_one(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            Tube tube = adapter.tube();
            Tube other = adapter.newTube();
            permits.release(2);
            inTransaction(true, () -> {
                aroundCommit(() -> tube.put("earlier"), () -> {
                    CompletableFuture.runAsync(() -> tube.put("later")).join();
                    awaitSome(1);
                });
                return other.put("before that");
            });
            awaitDelivered(2);
            assertThat(delivered).extracting(Task::text).containsExactly("earlier", "later");
        }
    }

    /** Waits for tasks that may not come: nothing signals that they do not. */
    private void awaitSome(int tasks) {
        long end = System.nanoTime() + Duration.ofMillis(300).toNanos();
        while (delivered.size() < tasks && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The bean gets the first one when this server learns of its commit, and could claim the other one before that. */
    @ParameterizedTest
    @DatabaseSource
    void for_a_bean_with_one_session_a_task_comes_before_a_later_one_also_if_that_is_seen_first(TestDatabase kind)
            throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            Tube tube = adapter.tube();
            permits.release(2);
            inTransaction(true, () -> {
                beforeEffects(() -> {
                    CompletableFuture.runAsync(() -> tube.put("later")).join();
                    awaitSome(1);
                });
                return tube.put("earlier");
            });
            awaitDelivered(2);
            assertThat(delivered).extracting(Task::text).containsExactly("earlier", "later");
        }
    }

    /** It knew the position that claims had reached before that task was there. */
    @ParameterizedTest
    @DatabaseSource
    void a_put_that_waits_for_a_connection_goes_behind_what_is_ready_by_then(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            permits.release(4);
            CountDownLatch waits = new CountDownLatch(1);
            CountDownLatch connections = new CountDownLatch(1);
            Thread producer = new Thread(() -> adapter.tube().put("second"));
            inTransaction(true, () -> {
                adapter.tube().put("first");
                CompletableFuture.runAsync(() -> {
                            claimOneAndHandOverOne(adapter, "1");
                            adapter.beforeConnect(() -> {
                                if (Thread.currentThread() == producer) {
                                    waits.countDown();
                                    awaitQuietly(connections);
                                }
                            });
                            producer.start();
                            awaitQuietly(waits);
                        })
                        .join();
                return null;
            });
            connections.countDown();
            producer.join();
            awaitDelivered(4);
            assertThat(delivered).extracting(Task::text).containsExactly("claimed", "handed over", "first", "second");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void what_its_transaction_has_released_is_not_overtaken_by_its_next_put(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.tube().put("released");
            Task held = adapter.tube().take(Duration.ZERO).orElseThrow();
            permits.release(2);
            claimOneAndHandOverOne(adapter, "2");
            Task after = inTransaction(true, () -> {
                adapter.tube().put("before it");
                adapter.tube().release(held);
                return adapter.tube().put("after it");
            });
            awaitDelivered(4);
            assertThat(isTakenByPut(adapter, after)).isFalse();
            permits.release(3);
            awaitDelivered(5);
        }
    }

    /** It keeps its place, which is before the put. */
    @ParameterizedTest
    @DatabaseSource
    void what_its_transaction_releases_after_a_put_for_the_bean_comes_first(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Tube tube = adapter.tube();
            tube.put("released");
            Task held = tube.take(Duration.ZERO).orElseThrow();
            adapter.activate(bean(), spec -> spec.setMaxSession("1"));
            awaitIdle(adapter, tube, 1);
            permits.release(2);
            inTransaction(true, () -> {
                Task put = tube.put("put");
                tube.release(held);
                return put;
            });
            awaitDelivered(2);
            assertThat(delivered).extracting(Task::text).containsExactly("released", "put");
        }
    }

    /** The put for the bean does not see them, and claims are not held up by it until its commit begins. */
    @ParameterizedTest
    @DatabaseSource
    void for_a_bean_with_one_session_a_put_comes_after_earlier_ones_that_commit_before_it(TestDatabase kind)
            throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            Tube tube = adapter.tube();
            Transaction early = suspended(() -> tube.putAll(List.of("1", "2", "3", "4", "5"), PutOptions.defaults()));
            Transaction late = suspended(() -> tube.put("6"));
            commit(early);
            awaitDelivered(1);
            commit(late);
            permits.release(6);
            awaitDelivered(6);
            assertThat(delivered).extracting(Task::text).containsExactly("1", "2", "3", "4", "5", "6");
        }
    }

    private static Transaction suspended(Runnable work) throws Exception {
        Jta.MANAGER.begin();
        work.run();
        return Jta.MANAGER.suspend();
    }

    private static void commit(Transaction suspended) {
        try {
            Jta.MANAGER.resume(suspended);
            Jta.MANAGER.commit();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A last step of the application may take long, or wait for what the bean does. */
    @ParameterizedTest
    @DatabaseSource
    void a_commit_that_takes_long_stops_a_bean_with_one_session_for_a_moment_only(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            Tube tube = adapter.tube();
            permits.release(2);
            inTransaction(true, () -> {
                aroundCommit(
                        () -> {
                            CompletableFuture.runAsync(() -> tube.put("other")).join();
                            awaitDelivered(1);
                        },
                        () -> {});
                return tube.put("of the long commit");
            });
            awaitDelivered(2);
            assertThat(delivered).extracting(Task::text).containsExactly("other", "of the long commit");
        }
    }

    /** Moves the position that claims have reached, and lets the next put for the bean look from there. */
    private void claimOneAndHandOverOne(RunningAdapter adapter, String sessions) {
        Task claimed = adapter.tube().put("claimed");
        adapter.activate(bean(), spec -> spec.setMaxSession(sessions));
        adapter.awaitRemoved(claimed);
        awaitIdle(adapter, adapter.tube(), 1);
        adapter.awaitRemoved(adapter.tube().put("handed over"));
        awaitIdle(adapter, adapter.tube(), 1);
    }

    @ParameterizedTest
    @DatabaseSource
    void what_its_transaction_only_looks_at_is_delivered_after_the_commit(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "8")) {
            Tube tube = adapter.tube();
            permits.release(1);
            Task task = inTransaction(true, () -> tube.peek(tube.put("x").id()).orElseThrow());
            adapter.awaitRemoved(task);
            assertThat(delivered).singleElement().satisfies(one -> assertThat(one.attempts())
                    .isEqualTo(1));
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_task_whose_transaction_took_long_begins_with_its_whole_ttr(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            permits.release(1);
            Task task = inTransaction(true, () -> {
                Task put = adapter.tube().put("x", PutOptions.defaults().ttr(Duration.ofHours(1)));
                long begin = System.nanoTime();
                Eventually.holds(
                        () -> System.nanoTime() - begin > Prefetch.MAX_AGE.toNanos(), "the transaction is old");
                return put;
            });
            adapter.awaitRemoved(task);
            assertThat(delivered).singleElement().satisfies(one -> assertThat(one.attempts())
                    .isEqualTo(1));
            assertThat(adapter.tube().statistics().events().get(TubeEvent.TAKE)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_pause_before_the_commit_keeps_the_task_from_the_bean(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            CountDownLatch paused = new CountDownLatch(1);
            CompletableFuture<Task> put = new CompletableFuture<>();
            Thread producer = new Thread(() -> {
                try {
                    put.complete(inTransaction(true, () -> {
                        Task task = adapter.tube().put("x");
                        awaitQuietly(paused);
                        return task;
                    }));
                } catch (Exception e) {
                    put.completeExceptionally(e);
                }
            });
            producer.start();
            adapter.tube().pause("look");
            paused.countDown();
            Task task = put.get(60, TimeUnit.SECONDS);
            Eventually.holds(() -> state(adapter, task) == TaskState.READY, "it is returned");
            assertThat(delivered).isEmpty();
            assertThat(adapter.tube().meta(task.id()).orElseThrow().attempts()).isZero();
            permits.release(1);
            adapter.tube().resume();
            adapter.awaitRemoved(task);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_that_stopped_before_the_commit_holds_no_task(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            Task task = inTransaction(true, () -> {
                Task put = adapter.tube().put("x");
                adapter.activations().stopAll();
                return put;
            });
            Eventually.holds(() -> state(adapter, task) == TaskState.READY, "it is released");
            assertThat(adapter.tube().take(Duration.ofMinutes(2)).map(Task::id)).contains(task.id());
            assertThat(delivered).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_pause_or_a_drop_of_its_own_transaction_keeps_it_from_the_bean(TestDatabase kind) throws Exception {
        permits.release(100);
        try (RunningAdapter adapter = idle(kind, "4")) {
            for (int i = 0; i < 20; i++) {
                Task task = inTransaction(true, () -> {
                    Task put = adapter.tube().put("x");
                    adapter.tube().pause("look");
                    return put;
                });
                assertThat(state(adapter, task)).isEqualTo(TaskState.READY);
                adapter.tube().delete(task.id());
                adapter.tube().resume();
            }
            inTransaction(true, () -> {
                Task put = adapter.tube().put("x");
                adapter.tube().dropForcibly();
                return put;
            });
            assertThat(delivered).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void an_edited_task_goes_to_an_idle_bean(TestDatabase kind) throws Exception {
        permits.release(100);
        try (RunningAdapter adapter = idle(kind, "4")) {
            Task buried = inTransaction(true, () -> {
                Task put = adapter.tube().put("old");
                adapter.tube().bury(put.id());
                return put;
            });
            Task edited = inTransaction(true, () -> adapter.node()
                    .admin(new ClientConnection())
                    .retryEdited(adapter.tube().name(), buried.id(), EditedTask.of(TaskData.of("new"))));
            adapter.awaitRemoved(edited);
            assertThat(delivered).extracting(Task::text).containsExactly("new");
        }
    }

    /** The bean of one session is slow, and got another task before the commit. */
    @ParameterizedTest
    @DatabaseSource
    void a_bean_that_is_busy_at_the_commit_gives_the_task_back(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            Tube tube = adapter.tube();
            Task first = inTransaction(true, () -> {
                Task put = tube.put("first");
                CompletableFuture.runAsync(() -> tube.put("second")).join();
                awaitDelivered(1);
                return put;
            });
            assertThat(tube.take(Duration.ofSeconds(5)).map(Task::id)).contains(first.id());
            permits.release(10);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void one_session_keeps_the_order_after_a_late_commit(TestDatabase kind) throws Exception {
        permits.release(100);
        try (RunningAdapter adapter = idle(kind, "1")) {
            for (int i = 0; i < 4; i++) {
                delivered.clear();
                inTransaction(true, () -> putAndWait(adapter, PutOptions.defaults(), Prefetch.MAX_AGE));
                adapter.tube().put("b");
                awaitDelivered(2);
                assertThat(delivered).extracting(Task::text).containsExactly("a", "b");
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void one_session_keeps_the_order_of_tasks_with_and_without_a_sub_queue(TestDatabase kind) throws Exception {
        permits.release(100);
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            for (int i = 0; i < 5; i++) {
                // A new one: a claim that an ack has woken, and that began before the commit, may find the second only
                Tube tube = adapter.newTube(TubeDefinition.UTUBETTL);
                adapter.activate(bean(), spec -> {
                    spec.setTube(tube.name());
                    spec.setMaxSession("1");
                });
                awaitIdle(adapter, tube, 1);
                delivered.clear();
                inTransaction(true, () -> {
                    tube.put("first", PutOptions.defaults().utube("a"));
                    return tube.put("second");
                });
                awaitDelivered(2);
                assertThat(delivered).extracting(Task::text).containsExactly("first", "second");
            }
        }
    }

    /** Both puts have returned before the claim's statement is sent, but after it has read where to go on. */
    @ParameterizedTest
    @DatabaseSource
    void one_session_gets_first_what_was_put_first_beside_a_claim(TestDatabase kind) {
        permits.release(1_000);
        AtomicBoolean armed = new AtomicBoolean();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.beforeConnect(() -> {
                if (isClaim() && armed.compareAndSet(true, false)) {
                    CompletableFuture.runAsync(() -> {
                                adapter.tube()
                                        .put("urgent", PutOptions.defaults().asUrgent());
                                adapter.tube()
                                        .put("later", PutOptions.defaults().pri(2));
                            })
                            .join();
                }
            });
            adapter.activate(bean(), spec -> {
                spec.setMaxSession("1");
                spec.setHandOver("false");
            });
            for (int i = 0; i < 10; i++) {
                // A claim from the start comes once in 100 ms; the ones after it go on from where it ended
                for (int n = 0; n < 3; n++) {
                    adapter.awaitRemoved(
                            adapter.tube().put("a", PutOptions.defaults().pri(1)));
                }
                delivered.clear();
                armed.set(true);
                adapter.tube().put("b", PutOptions.defaults().pri(1));
                awaitDelivered(3);
                assertThat(delivered).extracting(Task::text).containsSubsequence("urgent", "later");
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_that_was_rolled_back_to_a_savepoint_is_not_delivered(TestDatabase kind) throws Exception {
        permits.release(100);
        try (RunningAdapter adapter = idle(kind, "1")) {
            Jta.MANAGER.begin();
            putInSavepointAndRollBack(adapter);
            Jta.MANAGER.commit();
            adapter.tube().put("next");
            awaitDelivered(1);
            assertThat(delivered).extracting(Task::text).containsExactly("next");
            awaitIdle(adapter, adapter.tube(), 1);
        }
    }

    private static void putInSavepointAndRollBack(RunningAdapter adapter) throws SQLException {
        try (Connection own = adapter.pool().getConnection();
                Statement on = own.createStatement()) {
            on.execute("SAVEPOINT a");
            adapter.tube().put("undone");
            on.execute("ROLLBACK TO SAVEPOINT a");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_that_was_rolled_back_to_a_savepoint_before_a_look_is_not_counted(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            Jta.MANAGER.begin();
            putInSavepointAndRollBack(adapter);
            assertThat(adapter.tube().peekReady()).isEmpty();
            Jta.MANAGER.commit();
            assertThat(adapter.tube().statistics().total()).isZero();
            assertThat(adapter.tube().statistics().events().get(TubeEvent.PUT)).isZero();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_that_another_adapter_deletes_in_its_transaction_is_not_delivered(TestDatabase kind) throws Exception {
        permits.release(100);
        JtaTransactions others = new JtaTransactions(Jta.REGISTRY, () -> Optional.of(Jta.MANAGER));
        try (RunningAdapter adapter = idle(kind, "1");
                RunningNode second = new RunningNode(adapter.pool(), others, "second")) {
            Tube same =
                    second.node().tube(new ClientConnection(), adapter.tube().name());
            Jta.MANAGER.begin();
            same.delete(adapter.tube().put("deleted").id());
            Jta.MANAGER.commit();
            adapter.tube().put("next");
            awaitDelivered(1);
            assertThat(delivered).extracting(Task::text).containsExactly("next");
        }
    }

    private static boolean isClaim() {
        return Arrays.stream(Thread.currentThread().getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("claimOn"));
    }

    /** A claim and a put for the bean at once would not see each other's tasks, and the later one could begin first. */
    @ParameterizedTest
    @DatabaseSource
    void one_session_claims_nothing_while_a_task_is_put_for_it(TestDatabase kind) {
        permits.release(100);
        try (RunningAdapter adapter = idle(kind, "1")) {
            TaskReceiver bean = receiver(adapter);
            assertThat(bean.reserve()).isPresent();
            Task task = adapter.tube().put("a");
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < Duration.ofMillis(300).toNanos()) {
                assertThat(state(adapter, task)).isEqualTo(TaskState.READY);
            }
            bean.answered();
            bean.cancel();
            awaitDelivered(1);
        }
    }

    private static Task putAndWait(RunningAdapter adapter, PutOptions options, Duration wait) {
        Task put = adapter.tube().put("a", options);
        long begin = System.nanoTime();
        Eventually.holds(() -> System.nanoTime() - begin > wait.toNanos(), "the transaction is old");
        return put;
    }

    @ParameterizedTest
    @DatabaseSource
    void a_task_whose_ttl_was_over_at_the_commit_is_not_delivered(TestDatabase kind) throws Exception {
        permits.release(100);
        try (RunningAdapter adapter = idle(kind, "1")) {
            PutOptions brief = PutOptions.defaults().ttl(Duration.ofMillis(50));
            Task task = inTransaction(true, () -> putAndWait(adapter, brief, Duration.ofMillis(100)));
            adapter.awaitRemoved(task);
            assertThat(delivered).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_take_behind_a_bean_is_not_passed_over(TestDatabase kind) throws Exception {
        permits.release(100);
        try (RunningAdapter adapter = idle(kind, "8")) {
            CompletableFuture<Task> take =
                    CompletableFuture.supplyAsync(() -> adapter.tube().take());
            awaitIdle(adapter, adapter.tube(), 2);
            for (int puts = 0; puts < 100 && !take.isDone(); puts++) {
                Task task = adapter.tube().put("x");
                Eventually.holds(
                        () -> take.isDone() || adapter.tube().peek(task.id()).isEmpty(), "it is taken");
            }
            assertThat(take).isDone();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_tube_with_a_listener_which_could_hold_up_the_task_has_none(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = idle(kind, "1")) {
            permits.release(2);
            assertThat(inTransaction(true, () -> takenAfterPut(adapter))).isEqualTo(1);
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "it is done");
            adapter.tube().onTaskChange(change -> {});
            assertThat(inTransaction(true, () -> takenAfterPut(adapter))).isZero();
            awaitDelivered(2);
        }
    }

    /** The TAKEN tasks that the transaction of a put sees. */
    private static long takenAfterPut(RunningAdapter adapter) {
        adapter.tube().put("x");
        try (Connection own = adapter.pool().getConnection()) {
            return Sql.number(own, "SELECT count(*) FROM tasktube_task WHERE state = 't'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void no_thread_of_a_bean_has_the_class_loader_of_the_application_that_put(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind);
                URLClassLoader application = new URLClassLoader(new URL[0])) {
            Queue<ClassLoader> seen = new ConcurrentLinkedQueue<>();
            adapter.activate(new Bean(task -> seen.add(Thread.currentThread().getContextClassLoader())));
            awaitIdle(adapter, adapter.tube(), 1);
            Thread producer = new Thread(() -> adapter.tube().put("x"));
            producer.setContextClassLoader(application);
            producer.start();
            Eventually.holds(() -> seen.size() == 1, "it is delivered");
            assertThat(seen).doesNotContain(application);
            producer.join();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void beans_of_one_tube_take_turns(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            Queue<Integer> got = new ConcurrentLinkedQueue<>();
            for (int bean : List.of(1, 2)) {
                adapter.activate(new Bean(task -> got.add(bean)));
            }
            awaitIdle(adapter, adapter.tube(), 2);
            for (int i = 0; i < 10; i++) {
                adapter.awaitRemoved(adapter.tube().put("x"));
            }
            assertThat(got.stream().filter(bean -> bean == 1)).hasSize(5);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void it_can_be_switched_off(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activate(bean(), spec -> spec.setHandOver("false"));
            awaitIdle(adapter, adapter.tube(), 1);
            Task task = inTransaction(true, () -> {
                adapter.tube().pause("look");
                return adapter.tube().put("x");
            });
            assertThat(state(adapter, task)).isEqualTo(TaskState.READY);
            adapter.tube().resume();
            permits.release(1);
            adapter.awaitRemoved(task);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void many_producers_and_a_quick_bean_lose_and_repeat_nothing(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activate(new Bean(delivered::add));
            int each = 200;
            List<CompletableFuture<Void>> producers = IntStream.range(0, 4)
                    .mapToObj(producer -> CompletableFuture.runAsync(() -> put(adapter, each)))
                    .toList();
            for (CompletableFuture<Void> producer : producers) {
                producer.get(60, TimeUnit.SECONDS);
            }
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "all are done");
            assertThat(delivered).extracting(Task::id).doesNotHaveDuplicates().hasSize(4 * each);
            assertThat(adapter.sql().number("SELECT count(*) FROM tasktube_task"))
                    .isZero();
        }
    }

    private static void put(RunningAdapter adapter, int tasks) {
        Tube tube = adapter.node().tube(new ClientConnection(), adapter.tube().name());
        try {
            for (int i = 0; i < tasks; i++) {
                inTransaction(i % 5 > 0, () -> tube.put("x"));
                if (i % 5 == 0) {
                    tube.put("x");
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
