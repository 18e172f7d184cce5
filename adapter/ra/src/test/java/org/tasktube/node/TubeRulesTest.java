package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.tasktube.DataTooLargeException;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeInUseException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.TubeStatistics;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;
import org.tasktube.tube.WaitQueue;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The rules of a tube, on each database, outside JTA. What each operation does in each state is in StateTableTest. */
class TubeRulesTest {

    @Nested
    class OnH2 extends Rules {
        OnH2() {
            super(TestDatabase.H2, false);
        }
    }

    @Nested
    class InMemory extends Rules {
        InMemory() {
            super(TestDatabase.H2, true);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        OnPostgreSql() {
            super(TestDatabase.POSTGRESQL, false);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Rules {

        private final TestDatabase kind;
        private final boolean temporary;
        private HikariDataSource database;
        private RunningNode running;
        private Node node;
        private ClientConnection session;
        private Tube tube;

        Rules(TestDatabase kind, boolean temporary) {
            this.kind = kind;
            this.temporary = temporary;
        }

        @BeforeAll
        void start() {
            database = kind.create();
            running = temporary ? new RunningNode(database).inMemory() : new RunningNode(database);
            node = running.node();
        }

        @AfterAll
        void stop() {
            running.close();
            database.close();
        }

        @BeforeEach
        void open() {
            session = new ClientConnection();
            tube = running.newTube(session, TubeDefinition.FIFOTTL);
        }

        @AfterEach
        void close() {
            node.close(session);
        }

        private Task take() {
            return tube.take(Duration.ZERO).orElseThrow();
        }

        private String takeText() {
            return take().text();
        }

        private static PutOptions with() {
            return PutOptions.defaults();
        }

        // put

        @Test
        void tasks_are_taken_in_the_order_of_put() {
            tube.put("a");
            tube.put("b");
            tube.put("c");
            assertThat(List.of(takeText(), takeText(), takeText())).containsExactly("a", "b", "c");
            assertThat(tube.take(Duration.ZERO)).isEmpty();
        }

        @Test
        void a_bean_that_reads_on_gets_at_once_what_became_ready_before_its_place() {
            TubeEngine beans = node.find(tube.name()).orElseThrow();
            Task buried = tube.put("buried", with().pri(5));
            tube.bury(buried);
            tube.put("released", with().pri(5));
            tube.put("read", with().pri(5));
            Task released = take();
            assertThat(beans.claimOn(session, 1)).extracting(Task::text).containsExactly("read");

            tube.put("rest", with().pri(5));
            tube.release(released);
            assertThat(beans.claimOn(session, 1)).extracting(Task::text).containsExactly("released");
            tube.dig(buried.id());
            assertThat(beans.claimOn(session, 1)).extracting(Task::text).containsExactly("buried");
            tube.put("urgent", with().pri(1));
            assertThat(beans.claimOn(session, 1)).extracting(Task::text).containsExactly("urgent");
            assertThat(beans.claimOn(session, 1)).extracting(Task::text).containsExactly("rest");
            assertThat(beans.claimOn(session, 1)).isEmpty();
        }

        @Test
        void a_smaller_pri_goes_first_and_within_it_the_order_of_put() {
            tube.put("late", with().pri(2));
            tube.put("first", with().pri(1));
            tube.put("second", with().pri(1));
            tube.put("default");
            assertThat(List.of(takeText(), takeText(), takeText(), takeText()))
                    .containsExactly("default", "first", "second", "late");
        }

        @Test
        void ids_ascend_and_are_never_used_again() {
            long first = tube.put("a").id();
            tube.delete(first);
            long second = tube.put("b").id();
            assertThat(second).isGreaterThan(first);
            assertThat(tube.peek(first)).isEmpty();
        }

        @Test
        void put_returns_the_task_as_it_is_in_the_tube() {
            Task put = tube.put("a", with().pri(3).delay(ofMinutes(1)));
            assertThat(tube.peek(put.id())).contains(put);
            assertThat(put.state()).isEqualTo(TaskState.DELAYED);
        }

        @Test
        void data_over_the_limit_is_refused_and_nothing_is_put() {
            assertThatThrownBy(() -> tube.put(new byte[(1 << 20) + 1]))
                    .isInstanceOf(DataTooLargeException.class)
                    .hasMessageContaining("1048577")
                    .hasMessageContaining("1048576");
            assertThat(tube.statistics().total()).isZero();
            tube.put(new byte[1 << 20]);
            assertThat(take().bytes()).hasSize(1 << 20);
        }

        @Test
        void data_keeps_its_type() {
            tube.put(new byte[] {0, -1});
            tube.put(new int[] {1, 2});
            assertThat(take().data(byte[].class)).containsExactly(0, -1);
            assertThat(take().data(int[].class)).containsExactly(1, 2);
        }

        @Test
        void an_option_that_the_type_lacks_is_refused_by_name() {
            Tube fifo = running.newTube(session, TubeDefinition.FIFO);
            for (PutOptions options : List.of(
                    with().pri(1), with().ttl(ofSeconds(1)), with().ttr(ofSeconds(1)), with().delay(ofSeconds(1)))) {
                assertThatThrownBy(() -> fifo.put("a", options))
                        .isInstanceOf(UnsupportedOptionException.class)
                        .hasMessageContaining("is of type fifo, which has no");
            }
            fifo.put("a");
            Task task = fifo.take(Duration.ZERO).orElseThrow();
            assertThatThrownBy(() -> fifo.touch(task, ofSeconds(1))).isInstanceOf(UnsupportedOptionException.class);
            assertThatThrownBy(() -> fifo.heartbeat(task)).isInstanceOf(UnsupportedOptionException.class);
            assertThatThrownBy(
                            () -> fifo.release(task, ReleaseOptions.defaults().delay(ofSeconds(1))))
                    .isInstanceOf(UnsupportedOptionException.class);
            fifo.ack(task);
        }

        @Test
        void the_tubes_defaults_count_where_put_says_nothing() {
            Tube own = node.createTube(
                    session,
                    TubeDefinition.fifottl(RunningNode.newName())
                            .pri(7)
                            .ttl(ofMinutes(9))
                            .ttr(ofMinutes(2))
                            .delay(ofMinutes(3)));
            TaskMeta meta = own.meta(own.put("a").id()).orElseThrow();
            assertThat(meta.pri()).isEqualTo(7);
            assertThat(meta.ttr()).contains(ofMinutes(2));
            assertThat(meta.ttl()).contains(ofMinutes(12));
            assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
        }

        @Test
        void ttr_is_the_ttl_when_nothing_else_was_said_and_else_infinite() {
            assertThat(tube.meta(tube.put("a", with().ttl(ofMinutes(4))).id())
                            .orElseThrow()
                            .ttr())
                    .contains(ofMinutes(4));
            assertThat(tube.meta(tube.put("a").id()).orElseThrow().ttr()).isEmpty();
        }

        @Test
        void the_longest_times_do_not_overflow() {
            Duration max = TubeDefinition.MAX_DURATION;
            Task put = tube.put("a", with().ttl(max).ttr(max).delay(max));
            assertThat(tube.meta(put.id()).orElseThrow().ttl()).contains(max.multipliedBy(2));
            tube.put("b", with().ttl(max).ttr(max));
            Task taken = take();
            tube.touch(taken, max);
            tube.release(taken, ReleaseOptions.defaults().delay(max));
            assertThat(tube.peek(taken.id()).orElseThrow().state()).isEqualTo(TaskState.DELAYED);
        }

        // take

        @Test
        void a_negative_timeout_is_refused() {
            assertThatThrownBy(() -> tube.take(ofMillis(-1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("negative");
        }

        @Test
        void a_waiting_take_gets_a_task_put_meanwhile_at_once() throws Exception {
            try (Threads threads = new Threads()) {
                Future<Long> late = threads.run(() -> {
                    Task task = tube.take(ofSeconds(20)).orElseThrow();
                    return System.nanoTime() - Long.parseLong(task.text());
                });
                awaitWaiting(1);
                tube.put(Long.toString(System.nanoTime()));
                assertThat(Duration.ofNanos(late.get(20, TimeUnit.SECONDS)))
                        .isLessThan(ofMillis(RunningNode.POLL.toMillis() - 10));
            }
        }

        @Test
        void a_take_that_finds_nothing_in_time_is_empty_and_counted() {
            long start = System.nanoTime();
            assertThat(tube.take(ofMillis(50))).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(ofMillis(50), ofSeconds(5));
            assertThat(calls(TubeEvent.TAKE_TIMEOUT)).isEqualTo(1);
            assertThat(calls(TubeEvent.TAKE)).isZero();
        }

        @Test
        void one_task_wakes_one_waiter() throws Exception {
            try (Threads threads = new Threads()) {
                List<Future<Optional<Task>>> takes = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    takes.add(threads.run(() -> tube.take(ofSeconds(20))));
                }
                awaitWaiting(3);
                tube.put("a");
                Eventually.holds(() -> takes.stream().filter(Future::isDone).count() == 1, "one take has its task");
                assertThat(line().length()).isEqualTo(2);
                tube.put("b");
                tube.put("c");
                for (Future<Optional<Task>> take : takes) {
                    assertThat(take.get(20, TimeUnit.SECONDS)).isPresent();
                }
            }
        }

        @Test
        void release_kick_dig_and_a_delays_end_wake_waiters_too() throws Exception {
            try (Threads threads = new Threads()) {
                tube.put("a");
                Task task = take();
                wakes(threads, () -> tube.release(task));
                tube.bury(tube.put("b"));
                wakes(threads, () -> assertThat(tube.kick(5)).isEqualTo(1));
                Task buried = tube.put("c");
                tube.bury(buried);
                wakes(threads, () -> tube.dig(buried.id()));
                wakes(threads, () -> tube.put("d", with().delay(ofMillis(30))));
            }
        }

        private void wakes(Threads threads, Runnable action) throws Exception {
            Future<Optional<Task>> take = threads.run(() -> tube.take(ofSeconds(20)));
            awaitWaiting(1);
            action.run();
            assertThat(take.get(20, TimeUnit.SECONDS)).isPresent();
        }

        @Test
        void no_task_goes_to_two_takers() throws Exception {
            int tasks = 300;
            for (int i = 0; i < tasks; i++) {
                tube.put(Integer.toString(i));
            }
            Set<Long> taken = ConcurrentHashMap.newKeySet();
            try (Threads threads = new Threads()) {
                List<Future<Integer>> counts = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    counts.add(threads.run(() -> drain(taken)));
                }
                int sum = 0;
                for (Future<Integer> count : counts) {
                    sum += count.get(60, TimeUnit.SECONDS);
                }
                assertThat(sum).isEqualTo(tasks);
                assertThat(taken).hasSize(tasks);
            }
        }

        private int drain(Set<Long> taken) {
            int count = 0;
            for (Optional<Task> task = tube.take(Duration.ZERO); task.isPresent(); task = tube.take(Duration.ZERO)) {
                taken.add(task.get().id());
                tube.ack(task.get());
                count++;
            }
            return count;
        }

        @Test
        void a_ready_task_whose_ttl_is_over_is_not_handed_out() {
            tube.put("dead", with().ttl(ofMillis(20)));
            Eventually.holds(() -> tube.take(Duration.ZERO).isEmpty(), "nothing to take");
            Eventually.holds(() -> tube.statistics().total() == 0, "it is removed");
            assertThat(calls(TubeEvent.TTL)).isLessThanOrEqualTo(1);
        }

        // ownership

        @Test
        void the_three_errors_of_ownership_differ() {
            Task put = tube.put("a");
            assertThatThrownBy(() -> tube.ack(put))
                    .isInstanceOf(TaskNotTakenException.class)
                    .hasMessageContaining("is READY and should be TAKEN");
            ClientConnection other = new ClientConnection();
            Tube others = node.tube(other, tube.name());
            Task taken = others.take(Duration.ZERO).orElseThrow();
            assertThatThrownBy(() -> tube.ack(taken))
                    .isInstanceOfSatisfying(TaskTakenByAnotherException.class, e -> {
                        assertThat(e.holder()).isEqualTo(other.id());
                        assertThat(e.caller()).isEqualTo(session.id());
                    })
                    .hasMessageContaining(other.id().toString())
                    .hasMessageContaining("not you (" + session.id() + ")");
            others.ack(taken);
            assertThatThrownBy(() -> others.ack(taken)).isInstanceOf(TaskNotFoundException.class);
            node.close(other);
        }

        @Test
        void a_holder_whose_task_was_taken_again_is_somebody_else_even_in_the_same_session() {
            tube.put("a", with().ttr(ofSeconds(2)));
            Task first = take();
            Task second = tube.take(ofSeconds(20)).orElseThrow();
            assertThat(second.id()).isEqualTo(first.id());
            assertThatThrownBy(() -> tube.ack(first))
                    .isInstanceOf(TaskTakenByAnotherException.class)
                    .hasMessageContaining("in a later take");
            assertThat(second.attempts()).isEqualTo(2);
        }

        @Test
        void a_task_of_another_tube_is_not_found() {
            Tube other = running.newTube(session, TubeDefinition.FIFOTTL);
            tube.put("a");
            Task task = take();
            assertThatThrownBy(() -> other.ack(task)).isInstanceOf(TaskNotFoundException.class);
            assertThatThrownBy(() -> other.delete(task.id())).isInstanceOf(TaskNotFoundException.class);
            tube.ack(task);
        }

        @Test
        void closing_releases_what_the_session_holds() {
            ClientConnection other = new ClientConnection();
            Tube others = node.tube(other, tube.name());
            tube.put("a");
            tube.put("b");
            Task first = others.take(Duration.ZERO).orElseThrow();
            assertThat(others.take(Duration.ZERO)).isPresent();
            others.ack(first);
            node.close(other);
            assertThat(takeText()).isEqualTo("b");
            assertThat(calls(TubeEvent.RELEASED_BY_SESSION)).isEqualTo(1);
            assertThatThrownBy(() -> others.put("c"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }

        @Test
        void a_take_that_waits_when_its_connection_is_closed_takes_nothing() throws Exception {
            ClientConnection other = new ClientConnection();
            try (Threads threads = new Threads()) {
                Future<Optional<Task>> take =
                        threads.run(() -> node.tube(other, tube.name()).take(ofSeconds(20)));
                awaitWaiting(1);
                node.close(other);
                assertThatThrownBy(() -> take.get(20, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(IllegalStateException.class);
            }
            Task put = tube.put("a");
            assertThat(take().id()).isEqualTo(put.id());
        }

        // release, requeue, touch

        @Test
        void release_keeps_its_place() {
            tube.put("a");
            tube.put("b");
            tube.release(take());
            assertThat(takeText()).isEqualTo("a");
        }

        @Test
        void requeue_goes_to_the_end_of_its_pri() {
            tube.put("a", with().pri(1));
            tube.put("b", with().pri(1));
            tube.put("z", with().pri(2));
            tube.requeue(take());
            tube.put("c", with().pri(1));
            assertThat(List.of(takeText(), takeText(), takeText(), takeText())).containsExactly("b", "a", "c", "z");
        }

        @Test
        void release_with_a_delay_adds_it_to_the_ttl() {
            tube.put("a", with().ttl(ofMinutes(10)));
            Task task = take();
            tube.release(task, ReleaseOptions.defaults().delay(ofMinutes(5)));
            TaskMeta meta = tube.meta(task.id()).orElseThrow();
            assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
            assertThat(meta.ttl()).contains(ofMinutes(15));
        }

        @Test
        void release_with_a_ttl_sets_what_is_left_of_its_life_anew() {
            tube.put("a", with().ttl(ofMinutes(10)));
            Task task = take();
            tube.release(task, ReleaseOptions.defaults().delay(ofMinutes(5)).ttl(ofMinutes(1)));
            assertThat(tube.meta(task.id()).orElseThrow().ttl().orElseThrow()).isBetween(ofMinutes(6), ofSeconds(365));
        }

        @Test
        void touch_adds_to_the_deadline_and_the_ttl() {
            tube.put("a", with().ttl(ofMinutes(10)).ttr(ofMinutes(1)));
            Task task = take();
            TaskMeta before = tube.meta(task.id()).orElseThrow();
            tube.touch(task, ofMinutes(2));
            TaskMeta after = tube.meta(task.id()).orElseThrow();
            assertThat(Duration.between(
                            before.event().orElseThrow(), after.event().orElseThrow()))
                    .isEqualTo(ofMinutes(2));
            assertThat(after.ttl()).contains(ofMinutes(12));
        }

        @Test
        void touch_of_nothing_does_nothing_and_a_negative_one_is_refused() {
            tube.put("a", with().ttr(ofMinutes(1)));
            Task task = take();
            tube.touch(task, Duration.ZERO);
            assertThat(calls(TubeEvent.TOUCH)).isZero();
            assertThatThrownBy(() -> tube.touch(task, ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        }

        @Test
        void infinite_stays_infinite_when_touched() {
            tube.put("a");
            Task task = take();
            tube.touch(task, ofMinutes(1));
            assertThat(tube.meta(task.id()).orElseThrow().event()).isEmpty();
        }

        @Test
        void heartbeat_starts_the_ttr_anew() {
            tube.put("a", with().ttr(ofMinutes(1)));
            Task task = take();
            tube.touch(task, ofMinutes(30));
            tube.heartbeat(task);
            TaskMeta meta = tube.meta(task.id()).orElseThrow();
            assertThat(Duration.between(meta.now(), meta.event().orElseThrow())).isBetween(ofSeconds(50), ofMinutes(1));
        }

        @Test
        void a_holder_may_ack_after_the_ttl_while_it_still_holds() {
            tube.put("a", with().ttl(ofMillis(30)).ttr(ofMinutes(1)));
            Task task = take();
            Eventually.holds(
                    () -> tube.meta(task.id())
                            .orElseThrow()
                            .now()
                            .isAfter(
                                    tube.meta(task.id()).orElseThrow().created().plusMillis(60)),
                    "the ttl is over");
            tube.ack(task);
        }

        // bury, kick, dig

        @Test
        void kick_digs_up_in_order_as_many_as_asked() {
            for (String text : List.of("a", "b", "c")) {
                tube.bury(tube.put(text));
            }
            assertThat(tube.kick(0)).isZero();
            assertThat(tube.kick(-1)).isZero();
            assertThat(tube.kick()).isEqualTo(1);
            assertThat(takeText()).isEqualTo("a");
            assertThat(tube.kick(10)).isEqualTo(2);
            assertThat(tube.peekBuried()).isEmpty();
        }

        @Test
        void kicking_resets_the_attempts_and_not_the_count_of_takings() {
            tube.put("a");
            tube.release(take());
            Task task = take();
            assertThat(task.attempts()).isEqualTo(2);
            tube.bury(task);
            tube.kick();
            assertThat(take().attempts()).isEqualTo(1);
            TaskMeta meta = tube.meta(task.id()).orElseThrow();
            assertThat(meta.takenCount()).isEqualTo(3);
            assertThat(meta.buriedCount()).isEqualTo(1);
        }

        @Test
        void ttl_runs_on_through_bury_and_ends_a_buried_task() {
            Task task = tube.put("a", with().ttl(ofMillis(40)));
            tube.bury(task);
            Eventually.holds(() -> tube.peek(task.id()).isEmpty(), "its ttl ends it");
        }

        @Test
        void ttl_does_not_fire_while_delayed() {
            Task task = tube.put("a", with().ttl(ofMillis(1)).delay(ofMillis(200)));
            assertThat(tube.peek(task.id()).orElseThrow().state()).isEqualTo(TaskState.DELAYED);
            Eventually.holds(() -> tube.peek(task.id()).isEmpty(), "delay and ttl are over");
        }

        // looks

        @Test
        void peeks_show_the_next_of_each_state_and_change_nothing() {
            Task ready = tube.put("r");
            tube.put("later", with().pri(9));
            tube.put("d2", with().delay(ofMinutes(2)));
            Task delayed = tube.put("d1", with().delay(ofMinutes(1)));
            Task buried = tube.put("b");
            tube.bury(buried);
            assertThat(tube.peekReady().map(Task::id)).contains(ready.id());
            assertThat(tube.peekDelayed().map(Task::id)).contains(delayed.id());
            assertThat(tube.peekBuried().map(Task::id)).contains(buried.id());
            assertThat(take().id()).isEqualTo(ready.id());
        }

        @Test
        void tasks_are_listed_a_page_at_a_time() {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                ids.add(tube.put("x").id());
            }
            List<Long> first =
                    tube.tasks(TaskState.READY, 0, 3).stream().map(Task::id).toList();
            List<Long> rest = tube.tasks(TaskState.READY, first.get(2), 3).stream()
                    .map(Task::id)
                    .toList();
            assertThat(first).isEqualTo(ids.subList(0, 3));
            assertThat(rest).isEqualTo(ids.subList(3, 5));
            assertThat(tube.tasks(TaskState.TAKEN, 0, 10)).isEmpty();
            assertThatThrownBy(() -> tube.tasks(TaskState.READY, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        }

        @Test
        void meta_tells_all_about_a_task() {
            Task put = tube.put("a", with().pri(4).ttl(ofMinutes(3)).ttr(ofMinutes(1)));
            Task task = take();
            TaskMeta meta = tube.meta(put.id()).orElseThrow();
            assertThat(meta.session()).contains(session.id());
            assertThat(meta.takenAt()).isPresent();
            assertThat(meta.pri()).isEqualTo(4);
            assertThat(meta.takenCount()).isEqualTo(1);
            assertThat(meta.lastFailure()).isEmpty();
            assertThat(Duration.between(meta.created(), meta.now())).isLessThan(ofSeconds(30));
            assertThat(Duration.between(meta.created(), java.time.Instant.now()).abs())
                    .isLessThan(ofSeconds(30));
            tube.ack(task);
            assertThat(tube.meta(put.id())).isEmpty();
        }

        // many at once

        @Test
        void truncate_removes_all_and_says_how_many() {
            tube.put("a");
            tube.put("b");
            take();
            tube.bury(tube.put("c"));
            assertThat(tube.truncate()).isEqualTo(3);
            assertThat(tube.statistics().total()).isZero();
            assertThat(tube.truncate()).isZero();
        }

        @Test
        void release_all_frees_every_taken_task_whoever_holds_it() {
            tube.put("a");
            tube.put("b");
            Task held = take();
            ClientConnection other = new ClientConnection();
            assertThat(node.tube(other, tube.name()).take(Duration.ZERO)).isPresent();
            assertThat(tube.releaseAll()).isEqualTo(2);
            assertThatThrownBy(() -> tube.ack(held)).isInstanceOf(TaskNotTakenException.class);
            assertThat(List.of(takeText(), takeText())).containsExactly("a", "b");
            node.close(other);
        }

        @Test
        void drop_refuses_while_tasks_are_taken_or_consumers_wait() throws Exception {
            tube.put("a");
            Task task = take();
            assertThatThrownBy(tube::drop)
                    .isInstanceOf(TubeInUseException.class)
                    .hasMessageContaining("There are taken tasks in the tube");
            tube.ack(task);
            try (Threads threads = new Threads()) {
                Future<Optional<Task>> take = threads.run(() -> tube.take(ofSeconds(20)));
                awaitWaiting(1);
                assertThatThrownBy(tube::drop)
                        .isInstanceOf(TubeInUseException.class)
                        .hasMessageContaining("There are consumers connected the tube");
                tube.put("b");
                tube.ack(take.get(20, TimeUnit.SECONDS).orElseThrow());
            }
            tube.drop();
            assertThatThrownBy(() -> tube.put("c")).isInstanceOf(TubeNotFoundException.class);
            assertThatThrownBy(() -> node.tube(session, tube.name())).isInstanceOf(TubeNotFoundException.class);
        }

        // tubes

        @Test
        void a_tube_exists_once_and_otherwise_defined_it_is_an_error() {
            TubeDefinition same = tube.definition();
            assertThatThrownBy(() -> node.createTube(session, same)).isInstanceOf(TubeExistsException.class);
            assertThat(node.createTubeIfNotExists(session, same).definition()).isEqualTo(same);
            assertThatThrownBy(() -> node.createTubeIfNotExists(session, same.ttl(ofSeconds(1))))
                    .isInstanceOf(TubeExistsException.class)
                    .hasMessageContaining(same.name());
            assertThat(node.tubes()).contains(same);
        }

        @Test
        void an_unknown_type_is_refused_with_those_there_are() {
            assertThatThrownBy(() -> node.createTube(session, TubeDefinition.of("x", "lifo")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("lifo")
                    .hasMessageContaining("fifottl");
            assertThatThrownBy(() ->
                            node.createTube(session, TubeDefinition.fifo("x").ttl(ofSeconds(1))))
                    .isInstanceOf(UnsupportedOptionException.class);
        }

        @Test
        void an_unknown_tube_is_an_error_that_names_it() {
            assertThatThrownBy(() -> node.tube(session, "nosuch"))
                    .isInstanceOf(TubeNotFoundException.class)
                    .hasMessageContaining("nosuch");
        }

        // statistics

        @Test
        void statistics_are_exact_after_any_mix() {
            Task a = tube.put("a");
            tube.put("b");
            tube.put("c", with().delay(ofMinutes(1)));
            tube.bury(a);
            Task b = take();
            tube.ack(b);
            tube.kick();
            take();
            tube.put("d");
            tube.delete(tube.put("e").id());
            TubeStatistics now = tube.statistics();
            assertThat(now.ready()).isEqualTo(1);
            assertThat(now.delayed()).isEqualTo(1);
            assertThat(now.taken()).isEqualTo(1);
            assertThat(now.buried()).isZero();
            assertThat(now.endedSinceStart()).isEqualTo(2);
            assertThat(now.total()).isEqualTo(3);
            assertThat(calls(TubeEvent.PUT)).isEqualTo(5);
            assertThat(calls(TubeEvent.TAKE)).isEqualTo(2);
            assertThat(calls(TubeEvent.ACK)).isEqualTo(1);
            assertThat(calls(TubeEvent.DELETE)).isEqualTo(1);
            node.recount().now();
            assertThat(tube.statistics()).isEqualTo(now);
        }

        // deadlines

        @Test
        void what_is_due_at_once_is_all_swept() {
            int tasks = 1_200;
            for (int i = 0; i < tasks; i++) {
                tube.put("x", with().delay(ofMillis(300)));
            }
            Eventually.holds(() -> tube.statistics().ready() == tasks, "all are ready");
            assertThat(calls(TubeEvent.DELAY)).isEqualTo(tasks);
        }

        @Test
        void sweep_says_when_the_next_thing_is_due() {
            tube.put("a", with().delay(ofSeconds(2)));
            assertThat(node.sweep()).isBetween(ofMillis(1), ofSeconds(2));
        }

        private WaitQueue line() {
            return node.find(tube.name()).orElseThrow().takers();
        }

        private void awaitWaiting(int takers) {
            Eventually.holds(() -> line().asleep() == takers, takers + " takes wait");
        }

        private long calls(TubeEvent event) {
            return tube.statistics().events().get(event);
        }
    }

    /** Threads that a test starts and that end with it. */
    private static final class Threads implements AutoCloseable {

        private final ExecutorService executor = Executors.newCachedThreadPool();

        <T> Future<T> run(Callable<T> work) {
            return executor.submit(work);
        }

        @Override
        public void close() {
            executor.shutdownNow();
        }
    }
}
