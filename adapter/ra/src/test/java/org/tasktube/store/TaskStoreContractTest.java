package org.tasktube.store;

import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.Position;
import org.tasktube.store.jpa.JpaStores;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningQueue;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What every store promises beyond what TubeRulesTest and StateTableTest show through the queue: transactions that are
 * open at the same time, servers that come and go, tables that are not ours.
 */
class TaskStoreContractTest {

    @Nested
    class OnH2 extends Contract {
        OnH2() {
            super(TestDatabase.H2);
        }
    }

    @Nested
    class OnPostgreSql extends Contract {
        OnPostgreSql() {
            super(TestDatabase.POSTGRESQL);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Contract {

        private final TestDatabase kind;
        private HikariDataSource database;
        private OpenStore open;
        private TaskStore store;
        private Registry registry;
        private StoredTube tube;
        private int node;

        Contract(TestDatabase kind) {
            this.kind = kind;
        }

        @BeforeAll
        void start() throws StoreUnavailableException {
            database = kind.create();
            open = open(database);
            store = open.tasks();
            registry = open.registry();
        }

        @AfterAll
        void stop() {
            open.close();
            database.close();
        }

        @BeforeEach
        void newTube() {
            tube = registry.createTube(TubeDefinition.fifottl(RunningQueue.newName()), false)
                    .orElseThrow();
            node = registry.registerNode("test");
        }

        @AfterEach
        void forget() {
            registry.leave(node, Duration.ZERO);
            registry.dropTube(tube);
        }

        private long put(String text) {
            return put(text, Optional.empty());
        }

        private long put(String text, Optional<Duration> ttr) {
            return store.put(tube, List.of(newTask(text, ttr))).id();
        }

        private static NewTask newTask(String text, Optional<Duration> ttr) {
            return new NewTask(
                    TaskState.READY,
                    0,
                    Position.last(),
                    Optional.empty(),
                    Optional.empty(),
                    ttr,
                    Optional.empty(),
                    Optional.empty(),
                    TaskData.of(text));
        }

        private Holder holder() {
            return new Holder(UUID.randomUUID(), node);
        }

        private List<String> claim(TaskStore by, int max) {
            return by.claim(tube, holder(), Place.START, max).stream()
                    .map(claimed -> claimed.task().text())
                    .toList();
        }

        // transactions at the same time

        @Test
        void a_claim_passes_over_what_another_transaction_is_about_to_take() throws Exception {
            put("a");
            put("b");
            put("c");
            try (OpenTransaction other = new OpenTransaction()) {
                assertThat(claim(other.store, 2)).containsExactly("a", "b");
                assertThat(claim(store, 2)).containsExactly("c");
                other.rollback();
            }
            assertThat(claim(store, 5)).containsExactly("a", "b");
        }

        @Test
        void a_claim_after_a_place_takes_what_stands_behind_it() {
            put("a");
            put("b");
            put("c");
            Place first = store.claim(tube, holder(), Place.START, 1).get(0).place();
            Place second = store.claim(tube, holder(), first, 1).get(0).place();
            assertThat(first).isLessThan(second);
            put("d");
            assertThat(store.claim(tube, holder(), second, 5)).hasSize(2);
            assertThat(store.claim(tube, holder(), Place.START, 5)).isEmpty();
        }

        @Test
        void what_another_transaction_puts_is_not_there_before_its_commit() throws Exception {
            try (OpenTransaction other = new OpenTransaction()) {
                assertThat(other.store
                                .put(tube, List.of(newTask("a", Optional.empty())))
                                .outcome())
                        .isEqualTo(Put.Outcome.DONE);
                assertThat(claim(store, 5)).isEmpty();
                put("b");
                other.commit();
            }
            assertThat(claim(store, 5)).containsExactly("a", "b");
        }

        @Test
        void a_claim_inside_a_transaction_is_undone_by_its_rollback() throws Exception {
            long id = put("a");
            try (OpenTransaction other = new OpenTransaction()) {
                assertThat(claim(other.store, 1)).containsExactly("a");
                other.rollback();
            }
            TaskMeta meta = store.meta(tube, id).orElseThrow();
            assertThat(meta.state()).isEqualTo(TaskState.READY);
            assertThat(meta.attempts()).isZero();
        }

        @Test
        void a_sweep_leaves_alone_what_a_holder_is_acking_right_now() throws Exception {
            put("a", Optional.of(Duration.ofMillis(1)));
            Holder holder = holder();
            Task task = store.claim(tube, holder, Place.START, 1).get(0).task();
            try (OpenTransaction other = new OpenTransaction()) {
                assertThat(other.store.ack(tube, holder, task)).isTrue();
                awaitDue(task);
                Sweep sweep = store.sweep(Set.of());
                assertThat(sweep.swept()).isEmpty();
                assertThat(sweep.untilNext().orElseThrow()).isPositive();
                other.commit();
            }
            assertThat(store.find(tube, task.id())).isEmpty();
        }

        @Test
        void what_comes_into_a_sub_queue_while_its_only_task_is_acked_is_next_after_that() throws Exception {
            newTubeWithSubQueues();
            store.put(tube, List.of(newTaskOfLane("a")));
            Holder holder = holder();
            Task only = claimOne(holder);
            try (OpenTransaction other = new OpenTransaction()) {
                assertThat(other.store.ack(tube, holder, only)).isTrue();
                store.put(tube, List.of(newTaskOfLane("b")));
                assertThat(settleAndClaim()).isEmpty();
                assertThat(settleAndClaim()).isEmpty();
                other.commit();
            }
            assertThat(settleAndClaim()).containsExactly("b");
        }

        @Test
        void what_is_being_put_into_a_sub_queue_while_its_only_task_is_acked_is_next_after_both() throws Exception {
            newTubeWithSubQueues();
            store.put(tube, List.of(newTaskOfLane("a")));
            Holder holder = holder();
            Task only = claimOne(holder);
            try (OpenTransaction other = new OpenTransaction()) {
                other.store.put(tube, List.of(newTaskOfLane("b")));
                assertThat(store.ack(tube, holder, only)).isTrue();
                assertThat(settleAndClaim()).isEmpty();
                other.commit();
            }
            assertThat(settleAndClaim()).containsExactly("b");
        }

        @Test
        void what_came_into_a_sub_queue_after_its_only_task_was_taken_is_next_after_the_ack() {
            newTubeWithSubQueues();
            store.put(tube, List.of(newTaskOfLane("a")));
            Holder holder = holder();
            Task only = claimOne(holder);
            store.put(tube, List.of(newTaskOfLane("b")));
            assertThat(settleAndClaim()).isEmpty();
            assertThat(store.ack(tube, holder, only)).isTrue();
            assertThat(settleAndClaim()).containsExactly("b");
        }

        private void newTubeWithSubQueues() {
            registry.dropTube(tube);
            tube = registry.createTube(TubeDefinition.of(RunningQueue.newName(), TubeDefinition.UTUBE), true)
                    .orElseThrow();
        }

        private NewTask newTaskOfLane(String text) {
            return new NewTask(
                    TaskState.READY,
                    0,
                    Position.last(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of("lane"),
                    Optional.empty(),
                    TaskData.of(text));
        }

        private Task claimOne(Holder holder) {
            store.settle(tube);
            return store.claim(tube, holder, Place.START, 1).get(0).task();
        }

        private List<String> settleAndClaim() {
            store.settle(tube);
            return claim(store, 5);
        }

        private void awaitDue(Task task) {
            Eventually.holds(
                    () -> store.meta(tube, task.id())
                            .map(meta -> meta.now().isAfter(meta.event().orElseThrow()))
                            .orElse(false),
                    "its ttr is over");
        }

        @Test
        void two_who_create_one_tube_make_one() throws Exception {
            TubeDefinition definition = TubeDefinition.fifo(RunningQueue.newName());
            List<CompletableFuture<Optional<StoredTube>>> creations = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                creations.add(CompletableFuture.supplyAsync(() -> registry.createTube(definition, false)));
            }
            long created = 0;
            for (CompletableFuture<Optional<StoredTube>> creation : creations) {
                created += creation.get().stream().count();
            }
            assertThat(created).isEqualTo(1);
        }

        @Test
        void nothing_is_put_into_a_tube_that_was_dropped() {
            StoredTube dropped = registry.createTube(TubeDefinition.fifo(RunningQueue.newName()), false)
                    .orElseThrow();
            registry.dropTube(dropped);
            assertThat(store.put(dropped, List.of(newTask("a", Optional.empty()))))
                    .isEqualTo(Put.NO_TUBE);
        }

        // deliveries

        @Test
        void a_failure_is_kept_and_the_task_comes_back_later_or_is_buried() {
            put("a");
            Holder holder = holder();
            Task task = store.claim(tube, holder, Place.START, 1).get(0).task();
            TaskFailure failure = TaskFailure.of(new IllegalStateException("why\0not"));
            assertThat(store.fail(tube, holder, task, failure, Optional.of(Duration.ofMinutes(1))))
                    .isPresent();
            TaskMeta meta = store.meta(tube, task.id()).orElseThrow();
            assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
            assertThat(meta.lastFailure()).contains(failure);
            assertThat(store.fail(tube, holder, task, failure, Optional.empty()))
                    .as("it is not held any more")
                    .isEmpty();
        }

        @Test
        void what_is_given_back_does_not_count_as_an_attempt() {
            put("a");
            put("b");
            Holder holder = holder();
            List<Task> tasks = store.claim(tube, holder, Place.START, 2).stream()
                    .map(ClaimedTask::task)
                    .toList();
            assertThat(store.giveBack(tube, holder, tasks)).isEqualTo(2);
            assertThat(store.giveBack(tube, holder, tasks)).isZero();
            assertThat(store.claim(tube, holder, Place.START, 2))
                    .extracting(claimed -> claimed.task().attempts())
                    .containsExactly(1, 1);
        }

        // servers

        @Test
        void what_a_silent_server_holds_is_released_and_it_learns_of_that() {
            put("a");
            assertThat(claim(store, 1)).containsExactly("a");
            int silent = node;
            node = registry.registerNode("other");
            Eventually.holds(
                    () -> {
                        assertThat(registry.seen(node)).isTrue();
                        return registry.releaseDead("x", Duration.ZERO, Duration.ofMillis(300), Duration.ZERO).stream()
                                .anyMatch(count ->
                                        count.tube() == tube.id() && count.ids().size() == 1);
                    },
                    "its task is released");
            assertThat(registry.seen(silent)).isFalse();
            assertThat(claim(store, 1)).containsExactly("a");
        }

        @Test
        void a_former_self_is_waited_for_less_long_than_others() {
            put("a");
            assertThat(claim(store, 1)).containsExactly("a");
            Duration hour = Duration.ofHours(1);
            assertThat(registry.releaseDead("another name", Duration.ZERO, hour, Duration.ZERO))
                    .isEmpty();
            assertThat(registry.releaseDead("test", hour, Duration.ZERO, Duration.ZERO).stream()
                            .map(Released::tube))
                    .as("a server of that name has the first timeout")
                    .doesNotContain(tube.id());
            Eventually.holds(
                    () -> registry.releaseDead("test", Duration.ofMillis(1), hour, Duration.ZERO).stream()
                            .anyMatch(count -> count.tube() == tube.id()),
                    "its task is released");
        }

        @Test
        void a_server_that_leaves_releases_what_it_holds_and_nobody_elses() {
            put("a");
            put("b");
            int leaving = registry.registerNode("leaving");
            assertThat(store.claim(tube, new Holder(UUID.randomUUID(), leaving), Place.START, 1))
                    .hasSize(1);
            assertThat(claim(store, 1)).containsExactly("b");
            assertThat(registry.leave(leaving, Duration.ZERO))
                    .extracting(Released::tube)
                    .containsExactly(tube.id());
            assertThat(claim(store, 5)).containsExactly("a");
        }

        // tables

        @Test
        void tables_are_opened_again_as_they_are() throws StoreUnavailableException {
            long id = put("a");
            try (OpenStore again = JpaStores.open(database, false, () -> {})) {
                assertThat(again.tasks().find(tube, id)).isPresent();
            }
        }

        @Test
        void servers_that_start_at_once_make_the_tables_once() throws Exception {
            try (HikariDataSource fresh = kind.create()) {
                // Each H2 has one process, which makes them once; PostgreSQL is shared by all servers
                int servers = kind == TestDatabase.H2 ? 1 : 4;
                List<CompletableFuture<OpenStore>> opened = new ArrayList<>();
                for (int i = 0; i < servers; i++) {
                    opened.add(CompletableFuture.supplyAsync(() -> open(fresh)));
                }
                for (CompletableFuture<OpenStore> one : opened) {
                    one.get().close();
                }
            }
        }

        private static OpenStore open(DataSource dataSource) {
            try {
                return JpaStores.open(dataSource, true, () -> {});
            } catch (StoreUnavailableException e) {
                throw new IllegalStateException(e);
            }
        }

        @Test
        void missing_tables_are_an_error_where_software_must_not_create_them() {
            try (HikariDataSource fresh = kind.create()) {
                assertThatThrownBy(() -> JpaStores.open(fresh, false, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("createTables is false")
                        .hasMessageContaining("schema-");
            }
        }

        @Test
        void a_foreign_table_is_an_error_and_left_alone() throws SQLException {
            try (HikariDataSource fresh = kind.create()) {
                execute(fresh, "CREATE TABLE tasktube_task (id integer)");
                assertThatThrownBy(() -> JpaStores.open(fresh, true, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("not TaskTube's");
                execute(fresh, "INSERT INTO tasktube_task VALUES (1)");
            }
        }

        @Test
        void tables_of_another_version_are_an_error_that_names_both() throws Exception {
            try (HikariDataSource fresh = kind.create()) {
                JpaStores.open(fresh, true, () -> {}).close();
                execute(fresh, "UPDATE tasktube_schema SET version = 7");
                assertThatThrownBy(() -> JpaStores.open(fresh, true, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("version 7")
                        .hasMessageContaining("needs 2");
            }
        }

        @Test
        void a_column_that_is_missing_is_an_error_that_names_it() throws Exception {
            try (HikariDataSource fresh = kind.create()) {
                JpaStores.open(fresh, true, () -> {}).close();
                execute(fresh, "ALTER TABLE tasktube_task DROP COLUMN error_type");
                assertThatThrownBy(() -> JpaStores.open(fresh, true, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("error_type");
            }
        }

        private static void execute(DataSource dataSource, String sql) throws SQLException {
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        /** A store that is used inside one transaction, as in JTA: each connection it gets is the transaction's own. */
        private final class OpenTransaction implements AutoCloseable {

            private final Connection connection;
            private final OpenStore open;
            private final TaskStore store;

            OpenTransaction() throws SQLException, StoreUnavailableException {
                OneConnection source = new OneConnection();
                // Opened before the transaction begins, as in a server
                open = JpaStores.open(source, true, () -> {});
                store = open.tasks();
                connection = source.begin();
            }

            void commit() throws SQLException {
                connection.commit();
            }

            void rollback() throws SQLException {
                connection.rollback();
            }

            @Override
            public void close() throws SQLException {
                connection.rollback();
                connection.setAutoCommit(true);
                connection.close();
                open.close();
            }
        }

        /** Gives connections of the pool, and after {@link #begin()} always the same one, which close() leaves open. */
        private final class OneConnection implements DataSource {

            private Connection transaction;

            Connection begin() throws SQLException {
                transaction = database.getConnection();
                transaction.setAutoCommit(false);
                return transaction;
            }

            @Override
            public Connection getConnection() throws SQLException {
                if (transaction == null) {
                    return database.getConnection();
                }
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("close")) {
                                return null;
                            }
                            return method.invoke(transaction, arguments);
                        });
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return getConnection();
            }

            @Override
            public PrintWriter getLogWriter() {
                return null;
            }

            @Override
            public void setLogWriter(PrintWriter out) {}

            @Override
            public void setLoginTimeout(int seconds) {}

            @Override
            public int getLoginTimeout() {
                return 0;
            }

            @Override
            public Logger getParentLogger() throws SQLFeatureNotSupportedException {
                throw new SQLFeatureNotSupportedException();
            }

            @Override
            public <T> T unwrap(Class<T> type) throws SQLException {
                throw new SQLFeatureNotSupportedException();
            }

            @Override
            public boolean isWrapperFor(Class<?> type) {
                return false;
            }
        }
    }
}
