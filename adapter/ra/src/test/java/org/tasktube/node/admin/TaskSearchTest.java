package org.tasktube.node.admin;

import com.zaxxer.hikari.HikariDataSource;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.Fingerprint;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Change;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A search finds each task that fits, once, in its order, and reads no more than it must. */
@Timeout(120)
class TaskSearchTest {

    abstract static class Rules {

        private static HikariDataSource database;
        private static RunningNode running;
        private static boolean inMemory;
        private final ClientConnection connection = new ClientConnection();
        private Tube orders;
        private Tube mail;

        static void start(TestDatabase kind, boolean inMemory) {
            database = kind.create();
            running = new RunningNode(database, "app-1");
            Rules.inMemory = inMemory;
            if (inMemory) {
                running.withTemporary();
            }
        }

        @AfterAll
        static void stop() {
            running.close();
            database.close();
        }

        @BeforeEach
        void create() {
            orders = running.newTube(connection, TubeDefinition.UTUBETTL);
            mail = running.newTube(connection, TubeDefinition.FIFOTTL);
        }

        @AfterEach
        void drop() {
            running.node().close(connection);
            for (Tube tube : List.of(orders, mail)) {
                Tube again = running.node().tube(new ClientConnection(), tube.name());
                again.truncate();
                again.drop();
            }
        }

        private TaskAdmin admin() {
            return running.node().admin(connection);
        }

        private List<FoundTask> all(String filter) {
            return all(filter, 100);
        }

        private List<FoundTask> all(String filter, int limit) {
            List<FoundTask> found = new ArrayList<>();
            Optional<String> from = Optional.empty();
            do {
                TaskPage page = admin().search(TaskFilter.parse(filter), from, limit);
                assertThat(page.tasks()).hasSizeLessThanOrEqualTo(limit);
                found.addAll(page.tasks());
                from = page.next();
            } while (from.isPresent());
            return found;
        }

        private List<Long> ids(String filter) {
            return all(filter).stream().map(task -> task.meta().id()).toList();
        }

        @Test
        void by_ids_has_pages_too() {
            List<Long> put = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                put.add(mail.put("x").id());
            }
            String filter = "id:" + put.stream().map(String::valueOf).collect(Collectors.joining(","));
            assertThat(all(filter, 2).stream().map(task -> task.meta().id()))
                    .containsExactly(put.get(4), put.get(3), put.get(2), put.get(1), put.get(0));
        }

        @Test
        void by_tube_finds_its_tasks_in_each_state_and_no_others() {
            Task ready = orders.put("a");
            Task delayed = orders.put("b", PutOptions.defaults().delay(Duration.ofMinutes(1)));
            Task taken = orders.put("c", PutOptions.defaults().pri(0));
            Task buried = orders.put("d");
            orders.bury(buried.id());
            Task held = orders.take(Duration.ZERO).orElseThrow();
            mail.put("x");
            assertThat(held.id()).isEqualTo(ready.id());
            assertThat(ids("tube:" + orders.name()))
                    .containsExactlyInAnyOrder(ready.id(), delayed.id(), taken.id(), buried.id());
        }

        @Test
        void by_state_finds_the_tasks_of_all_tubes() {
            Task one = orders.put("a");
            Task other = mail.put("b");
            mail.put("c");
            orders.bury(one.id());
            mail.bury(other.id());
            assertThat(ids("state:buried")).containsExactlyInAnyOrder(one.id(), other.id());
        }

        @Test
        void tasks_that_wait_in_their_sub_queues_are_found() {
            List<Long> put = LongStream.range(0, 9)
                    .map(i -> orders.put("a", PutOptions.defaults().utube("u" + i % 2))
                            .id())
                    .boxed()
                    .toList();
            assertThat(ids("tube:" + orders.name() + " state:ready")).containsExactlyInAnyOrderElementsOf(put);
            assertThat(ids("utube:u1")).containsExactlyInAnyOrder(put.get(1), put.get(3), put.get(5), put.get(7));
        }

        @Test
        @Tag("full")
        void pages_of_any_size_have_each_task_once() {
            List<Long> put = LongStream.range(0, 23)
                    .map(i -> i % 3 == 0
                            ? mail.put("a").id()
                            : orders.put("a", PutOptions.defaults().utube("u" + i % 4))
                                    .id())
                    .boxed()
                    .toList();
            for (int limit : List.of(1, 2, 5, 23, 24)) {
                for (String filter : List.of("", "state:ready", "tube:" + orders.name() + "," + mail.name())) {
                    assertThat(all(filter, limit))
                            .as("%s by %d", filter, limit)
                            .extracting(task -> task.meta().id())
                            .doesNotHaveDuplicates()
                            .containsAll(put);
                }
            }
        }

        @Test
        void by_id_and_by_key_read_only_the_tasks_that_fit() {
            Task other = mail.putUnique("order-1", "a", PutOptions.defaults(), OnConflict.KEEP);
            Task keyed = mail.putUnique("order-2", "b", PutOptions.defaults(), OnConflict.KEEP);
            TaskPage byKey = admin().search(TaskFilter.parse("key:order-2"), Optional.empty(), 10);
            assertThat(byKey.tasks()).extracting(task -> task.meta().id()).containsExactly(keyed.id());
            assertThat(byKey.looked()).isEqualTo(1);
            TaskPage byId =
                    admin().search(TaskFilter.parse("tube:" + mail.name() + " id:" + other.id()), Optional.empty(), 10);
            assertThat(byId.tasks()).extracting(task -> task.meta().tube()).contains(mail.name());
            assertThat(ids("key:order-2 state:buried")).isEmpty();
        }

        @Test
        void by_a_value_inside_the_data() {
            mail.put(TaskData.json(java.util.Map.of("customer", java.util.Map.of("id", 41))));
            Task fits = mail.put(TaskData.json(java.util.Map.of("customer", java.util.Map.of("id", 42))));
            mail.put("customer 42");
            mail.put(new byte[] {(byte) 0xff, 0, 1});
            assertThat(ids("tube:" + mail.name() + " data.customer.id:42")).containsExactly(fits.id());
            assertThat(ids("tube:" + mail.name() + " data:*42*")).hasSize(2);
        }

        @Test
        void a_taken_task_names_its_server() {
            mail.put("a");
            Task taken = mail.take(Duration.ZERO).orElseThrow();
            assertThat(all("node:app-*"))
                    .singleElement()
                    .satisfies(task -> assertThat(task.meta().id()).isEqualTo(taken.id()))
                    .satisfies(task -> assertThat(task.server()).contains("app-1"));
        }

        @Test
        void a_search_tells_size_and_type_of_the_data() {
            mail.put("Gr\u00fc\u00dfe");
            assertThat(all("tube:" + mail.name()))
                    .singleElement()
                    .satisfies(task -> assertThat(task.size()).isEqualTo(7))
                    .satisfies(task -> assertThat(task.contentType()).startsWith("text/plain"));
        }

        @Test
        void a_page_has_the_beginnings_of_the_data() {
            Task small = mail.put("short");
            Task large = mail.put("\u6f22".repeat(500));
            Map<Long, TaskData> beginnings = admin().search(
                            TaskFilter.parse("tube:" + mail.name()), Optional.empty(), 10)
                    .beginnings();
            assertThat(beginnings.get(small.id()).text()).isEqualTo("short");
            assertThat(beginnings.get(large.id()).size()).isEqualTo(TaskPage.MAX_BEGINNING);
            assertThat(beginnings.get(large.id()).bytes())
                    .isEqualTo(Arrays.copyOf(large.data().bytes(), TaskPage.MAX_BEGINNING));
        }

        private Task fail(Tube tube, String message) {
            return fail(tube, new TaskFailure("shop.Timeout", message, ""));
        }

        private Task fail(Tube tube, TaskFailure failure) {
            TubeEngine engine = running.node().find(tube.name()).orElseThrow();
            Task task = engine.claimOn(connection, 1, Long.MAX_VALUE).get(0);
            assertThat(engine.held().applyOutcome(connection.session(), task, Change.failed(failure, Optional.empty())))
                    .isTrue();
            return task;
        }

        @Test
        void by_failure_finds_the_tasks_of_the_kind_in_all_tubes_and_states_and_shows_it() {
            String own = mail.name();
            List<Long> failed = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                mail.put("a");
                failed.add(fail(mail, "no answer of " + own + " in " + i + " s").id());
            }
            orders.put("b");
            failed.add(fail(orders, "no answer of " + own + " in 7 s").id());
            mail.put("c");
            fail(mail, "another thing of " + own);
            mail.put("d");
            mail.dig(failed.get(1));
            String kind = Fingerprint.of("shop.Timeout", "", "", "no answer of " + own + " in 7 s")
                    .id();
            for (int limit : List.of(1, 2, 100)) {
                List<FoundTask> found = all("failure:" + kind, limit);
                assertThat(found).extracting(task -> task.meta().id()).containsExactlyInAnyOrderElementsOf(failed);
                assertThat(found).allMatch(task -> task.meta()
                        .lastFailure()
                        .orElseThrow()
                        .fingerprint()
                        .id()
                        .equals(kind));
            }
            assertThat(ids("failure:" + kind + " state:ready")).containsExactly(failed.get(1));
            assertThat(ids("tube:" + orders.name() + " failure:" + kind)).containsExactly(failed.get(5));
            assertThat(ids("tube:" + own + " -failure:" + kind)).hasSize(2);
            assertThat(ids("failure:0000000000000000," + kind)).hasSize(6);
        }

        @Test
        void by_error_finds_the_exception_and_its_root_cause_and_reads_failed_tasks_only() {
            for (int i = 0; i < 30; i++) {
                mail.put("not failed");
            }
            Throwable thrown = new IllegalStateException("cannot print", new SocketTimeoutException("late"));
            mail.put("failed", PutOptions.defaults().asUrgent());
            Task failed = fail(mail, TaskFailure.of(thrown));
            String tube = "tube:" + mail.name();
            for (String error : List.of(
                    "IllegalStateException", "SocketTimeoutException", "java.net.SocketTimeoutException", "*print")) {
                assertThat(ids(tube + " error:" + error)).as(error).containsExactly(failed.id());
                assertThat(ids("error:" + error)).as(error).contains(failed.id());
            }
            assertThat(ids(tube + " error:late")).isEmpty();
            assertThat(ids(tube + " state:buried error:SocketTimeoutException")).containsExactly(failed.id());
            assertThat(ids(tube + " -error:SocketTimeoutException")).hasSize(30);
            // A server reads its own tasks in memory by their tubes
            assertThat(admin().search(TaskFilter.parse(tube + " error:SocketTimeoutException"), Optional.empty(), 100)
                            .looked())
                    .isLessThan(inMemory ? 32 : 30);
        }

        /** A new kind of failures of another tube must not change the plan between two pages, or two batches. */
        @Test
        void pages_by_error_have_each_task_once_while_kinds_of_failures_come_and_go() {
            List<Long> failed = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                mail.put("x");
                failed.add(fail(mail, new TaskFailure("shop.Kind" + i % 10 + "Exception", "of " + mail.name(), ""))
                        .id());
            }
            for (String filter : List.of("", " state:buried", " tube:" + mail.name())) {
                List<Long> found = new ArrayList<>();
                Optional<String> from = Optional.empty();
                do {
                    TaskPage page =
                            admin().search(TaskFilter.parse("error:\"of " + mail.name() + "\"" + filter), from, 4);
                    page.tasks().forEach(task -> found.add(task.meta().id()));
                    from = page.next();
                    orders.put("another kind");
                    fail(orders, new TaskFailure("shop.Other" + found.size(), "another", ""));
                } while (from.isPresent());
                assertThat(found).as(filter).containsExactlyInAnyOrderElementsOf(failed);
            }
        }

        @Test
        void a_wrong_limit_or_position_is_refused() {
            assertThatThrownBy(() -> admin().search(TaskFilter.ALL, Optional.empty(), 0))
                    .hasMessage("limit 0 is not from 1 to 500");
            for (String wrong : List.of("", "x", "all.1", "all.x.1.", "all.0.1.*", "all.0.99999999999999999999.")) {
                assertThatThrownBy(() -> admin().search(TaskFilter.ALL, Optional.of(wrong), 1))
                        .as(wrong)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("'" + wrong + "' is no position of a search");
            }
        }

        @Test
        void a_closed_connection_does_not_search() {
            ClientConnection closed = new ClientConnection();
            running.node().close(closed);
            assertThatThrownBy(() -> running.node().admin(closed)).hasMessageContaining("closed");
        }
    }

    @Nested
    class OnH2 extends Rules {
        @BeforeAll
        static void open() {
            start(TestDatabase.H2, false);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        @BeforeAll
        static void open() {
            start(TestDatabase.POSTGRESQL, false);
        }
    }

    @Nested
    class Temporary extends Rules {
        @BeforeAll
        static void open() {
            start(TestDatabase.H2, true);
        }
    }

    /** Each statement takes a fourth of the time of a page. */
    @Test
    @Tag("full")
    void a_search_in_many_empty_tubes_ends_its_page_in_time_and_goes_on() throws Exception {
        AtomicBoolean slow = new AtomicBoolean();
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode running = new RunningNode(
                        HookedDataSource.of(database, statement -> {
                            if (slow.get() && statement.contains("FROM tasktube_task")) {
                                LockSupport.parkNanos(250_000_000);
                            }
                        }),
                        "one")) {
            ClientConnection connection = new ClientConnection();
            for (int i = 0; i < 20; i++) {
                running.node().createTube(connection, TubeDefinition.fifo("empty" + i));
            }
            Task last = running.node()
                    .createTube(connection, TubeDefinition.fifo("last"))
                    .put("x");
            TaskAdmin admin = running.node().admin(connection);
            slow.set(true);
            TaskFilter filter = TaskFilter.parse("state:ready");
            long t0 = System.nanoTime();
            TaskPage page = admin.search(filter, Optional.empty(), 50);
            System.out.println("TIME " + (System.nanoTime() - t0) / 1000000);
            int pages = 1;
            while (page.tasks().isEmpty()) {
                assertThat(page.next()).isPresent();
                page = admin.search(filter, page.next(), 50);
                pages++;
            }
            assertThat(page.tasks()).extracting(task -> task.meta().id()).containsExactly(last.id());
            assertThat(pages).isGreaterThan(3);
        }
    }

    @Nested
    @Tag("large")
    class AmongManyTasks {

        private static final int TASKS = 200_000;

        @Test
        @Tag("full")
        void a_page_reads_its_tasks_and_a_search_without_an_index_ends_and_goes_on() throws SQLException {
            for (TestDatabase kind : TestDatabase.values()) {
                try (HikariDataSource database = kind.create();
                        RunningNode running = new RunningNode(database, "one")) {
                    ClientConnection connection = new ClientConnection();
                    Tube tube = running.newTube(connection, TubeDefinition.FIFOTTL);
                    tube.put("first");
                    fill(kind, database);
                    TaskAdmin admin = running.node().admin(connection);
                    TaskPage page = admin.search(TaskFilter.parse("tube:" + tube.name()), Optional.empty(), 50);
                    assertThat(page.tasks()).hasSize(50);
                    assertThat(page.looked()).isEqualTo(50);
                    TaskPage none = admin.search(TaskFilter.parse("attempts>=3"), Optional.empty(), 50);
                    assertThat(none.tasks()).isEmpty();
                    assertThat(none.looked()).isLessThan(TASKS).isGreaterThan(1_000);
                    assertThat(none.next()).isPresent();
                    new Sql(database)
                            .execute(
                                    "UPDATE tasktube_task SET failure = 255, error_type = 'x', failed_at = created_at WHERE id > "
                                            + (TASKS - 100));
                    TaskPage failed = admin.search(TaskFilter.parse("failure:00000000000000ff"), Optional.empty(), 50);
                    assertThat(failed.looked()).isEqualTo(50);
                    TaskPage goesOn = admin.search(TaskFilter.parse("attempts>=3"), none.next(), 50);
                    assertThat(goesOn.looked()).isGreaterThan(1_000);
                }
            }
        }

        private static void fill(TestDatabase kind, HikariDataSource database) throws SQLException {
            String numbers = kind == TestDatabase.H2
                    ? "SELECT x AS n FROM SYSTEM_RANGE(1, " + TASKS + ")"
                    : "SELECT n FROM generate_series(1, " + TASKS + ") n";
            new Sql(database)
                    .execute("INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, content_type, data)"
                            + " SELECT 1000 + n, 1000 + n, t.id, 'r', 0, CURRENT_TIMESTAMP, 'text/plain', t0.data"
                            + " FROM (" + numbers + ") s, tasktube_tube t, tasktube_task t0");
        }
    }
}
