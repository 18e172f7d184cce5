package org.tasktube.store;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeInUseException;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.Calls;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.OpenTransactions;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
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
            tube = registry.createTube(TubeDefinition.fifottl(RunningNode.newName()), false)
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
            return newTask(text, ttr, Optional.empty());
        }

        private static NewTask newTask(String text, Optional<Duration> ttr, Duration ttl) {
            return newTask(text, ttr, Optional.of(ttl));
        }

        private static NewTask newTask(String text, Optional<Duration> ttr, Optional<Duration> ttl) {
            TaskToPut task = TaskToPut.of(text);
            ttr.ifPresent(task::ttr);
            ttl.ifPresent(task::ttl);
            return task.build();
        }

        private Holder holder() {
            return new Holder(UUID.randomUUID(), node);
        }

        private List<String> claim(TaskStore by, int max) {
            return by.claim(tube, holder(), OrderKey.START, max).stream()
                    .map(claimed -> claimed.task().text())
                    .toList();
        }

        // transactions at the same time

        @Test
        void a_claim_passes_over_what_another_transaction_is_about_to_take() throws Exception {
            put("a");
            put("b");
            put("c");
            try (OpenTransactions other = begun()) {
                assertThat(claim(other.store(), 2)).containsExactly("a", "b");
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
            OrderKey first =
                    store.claim(tube, holder(), OrderKey.START, 1).get(0).key();
            OrderKey second = store.claim(tube, holder(), first, 1).get(0).key();
            assertThat(first).isLessThan(second);
            put("d");
            assertThat(store.claim(tube, holder(), second, 5)).hasSize(2);
            assertThat(store.claim(tube, holder(), OrderKey.START, 5)).isEmpty();
        }

        @Test
        void what_another_transaction_puts_is_not_there_before_its_commit() throws Exception {
            try (OpenTransactions other = begun()) {
                assertThat(other.store()
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
            try (OpenTransactions other = begun()) {
                assertThat(claim(other.store(), 1)).containsExactly("a");
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
            Task task = store.claim(tube, holder, OrderKey.START, 1).get(0).task();
            try (OpenTransactions other = begun()) {
                assertThat(Calls.ack(other.store(), tube, holder, task)).isTrue();
                awaitDue(task);
                Sweep sweep = store.sweep(Set.of());
                assertThat(sweep.swept()).isEmpty();
                assertThat(sweep.untilNext().orElseThrow()).isPositive();
                other.commit();
            }
            assertThat(store.find(tube, task.id())).isEmpty();
        }

        @Test
        void a_sweep_passes_over_locked_deadlines_however_many() throws Exception {
            List<NewTask> overdue = IntStream.range(0, 7_000)
                    .mapToObj(i -> newTask(String.valueOf(i), Optional.empty(), Duration.ofMillis(1)))
                    .toList();
            store.put(tube, overdue);
            try (OpenTransactions other = begun()) {
                other.execute("UPDATE tasktube_task SET taken_count = taken_count WHERE tube_id = " + tube.id());
                long last = store.put(tube, List.of(newTask("last", Optional.empty(), Duration.ofMillis(1))))
                        .id();
                Eventually.holds(
                        () -> store.sweep(Set.of()).swept().stream()
                                .anyMatch(swept -> swept.done().ids().contains(last)),
                        "what is due behind 7,000 that are locked is removed");
                for (int i = 0; i < 5; i++) {
                    Sweep sweep = store.sweep(Set.of());
                    assertThat(sweep.swept()).isEmpty();
                    assertThat(sweep.untilNext().orElseThrow())
                            .as("no busy loop")
                            .isPositive();
                }
                other.rollback();
            }
            Eventually.holds(() -> store.sweep(Set.of()).untilNext().isEmpty(), "then all of them are");
            assertThat(store.counts())
                    .filteredOn(count -> count.tube() == tube.id())
                    .isEmpty();
        }

        @Test
        void what_comes_into_a_sub_queue_while_its_only_task_is_acked_is_next_after_that() throws Exception {
            newTubeWithSubQueues();
            store.put(tube, List.of(newTaskOfLane("a")));
            Holder holder = holder();
            Task only = claimOne(holder);
            try (OpenTransactions other = begun()) {
                assertThat(Calls.ack(other.store(), tube, holder, only)).isTrue();
                store.put(tube, List.of(newTaskOfLane("b")));
                assertThat(promoteAndClaim()).isEmpty();
                assertThat(promoteAndClaim()).isEmpty();
                other.commit();
            }
            assertThat(promoteAndClaim()).containsExactly("b");
        }

        @Test
        void what_is_being_put_into_a_sub_queue_while_its_only_task_is_acked_is_next_after_both() throws Exception {
            newTubeWithSubQueues();
            store.put(tube, List.of(newTaskOfLane("a")));
            Holder holder = holder();
            Task only = claimOne(holder);
            try (OpenTransactions other = begun()) {
                other.store().put(tube, List.of(newTaskOfLane("b")));
                assertThat(Calls.ack(store, tube, holder, only)).isTrue();
                assertThat(promoteAndClaim()).isEmpty();
                other.commit();
            }
            assertThat(promoteAndClaim()).containsExactly("b");
        }

        @Test
        void what_came_into_a_sub_queue_after_its_only_task_was_taken_is_next_after_the_ack() {
            newTubeWithSubQueues();
            store.put(tube, List.of(newTaskOfLane("a")));
            Holder holder = holder();
            Task only = claimOne(holder);
            store.put(tube, List.of(newTaskOfLane("b")));
            assertThat(promoteAndClaim()).isEmpty();
            assertThat(Calls.ack(store, tube, holder, only)).isTrue();
            assertThat(promoteAndClaim()).containsExactly("b");
        }

        private void newTubeWithSubQueues() {
            registry.dropTube(tube);
            tube = registry.createTube(TubeDefinition.of(RunningNode.newName(), TubeDefinition.UTUBE), true)
                    .orElseThrow();
        }

        private NewTask newTaskOfLane(String text) {
            return TaskToPut.of(text).utube("lane").build();
        }

        private Task claimOne(Holder holder) {
            store.promoteHeads(tube);
            return store.claim(tube, holder, OrderKey.START, 1).get(0).task();
        }

        private List<String> promoteAndClaim() {
            store.promoteHeads(tube);
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
            TubeDefinition definition = TubeDefinition.fifo(RunningNode.newName());
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
            StoredTube dropped = registry.createTube(TubeDefinition.fifo(RunningNode.newName()), false)
                    .orElseThrow();
            registry.dropTube(dropped);
            assertThat(store.put(dropped, List.of(newTask("a", Optional.empty()))))
                    .isEqualTo(Put.NO_TUBE);
        }

        @Test
        void a_put_that_commits_after_a_drop_leaves_no_task_without_a_tube() throws Exception {
            StoredTube dropped = registry.createTube(TubeDefinition.fifo(RunningNode.newName()), false)
                    .orElseThrow();
            boolean refused = false;
            try (OpenTransactions other = begun()) {
                other.store().put(dropped, List.of(newTask("late", Optional.empty())));
                try {
                    registry.dropTube(dropped);
                } catch (TubeInUseException e) {
                    refused = true;
                    assertThat(e).hasMessageContaining(dropped.name()).hasMessageContaining("end that transaction");
                }
                other.commit();
            }
            store.removeOrphans();
            assertThat(store.counts())
                    .filteredOn(count -> count.tube() == dropped.id())
                    .hasSize(refused ? 1 : 0);
            assertThat(refused).isEqualTo(kind == TestDatabase.POSTGRESQL);
            registry.dropTube(dropped);
        }

        @Test
        void a_put_beside_a_drop_that_is_rolled_back_is_done() throws Exception {
            try (OpenTransactions other = begun()) {
                other.registry().dropTube(tube);
                CompletableFuture<Long> put = CompletableFuture.supplyAsync(() -> put("a"));
                other.rollback();
                assertThat(put.get()).isPositive();
            }
            assertThat(claim(store, 5)).containsExactly("a");
        }

        @Test
        void tasks_of_tubes_that_are_gone_are_removed_and_no_others() throws Exception {
            long stays = put("a");
            execute(database, """
                    INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)
                    VALUES (-1, 1000000, 'r', 0, 0, CURRENT_TIMESTAMP, 'text/plain', CAST('' AS %s)),
                      (-2, 1000001, '!', 0, 0, CURRENT_TIMESTAMP, 'text/plain', CAST('' AS %1$s))""".formatted(kind == TestDatabase.H2 ? "varbinary" : "bytea"));
            execute(database, "INSERT INTO tasktube_dirty (tube_id, utube) VALUES (1000002, 'gone')");
            try (OpenTransactions other = begun()) {
                StoredTube made = other.registry()
                        .createTube(TubeDefinition.fifo(RunningNode.newName()), false)
                        .orElseThrow();
                other.store().put(made, List.of(newTask("new", Optional.empty())));
                assertThat(store.removeOrphans()).isEqualTo(2);
                other.commit();
                assertThat(store.removeOrphans()).isZero();
                assertThat(store.first(made, TaskState.READY)).isPresent();
                registry.dropTube(made);
            }
            assertThat(store.find(tube, stays)).isPresent();
        }

        // deliveries

        @Test
        void a_failure_is_kept_and_the_task_comes_back_later_or_is_buried() {
            put("a");
            Holder holder = holder();
            Task task = store.claim(tube, holder, OrderKey.START, 1).get(0).task();
            TaskFailure failure = TaskFailure.of(new IllegalStateException("why\0not"));
            assertThat(Calls.fail(store, tube, holder, task, failure, Optional.of(Duration.ofMinutes(1))))
                    .isPresent();
            TaskMeta meta = store.meta(tube, task.id()).orElseThrow();
            assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
            assertThat(meta.lastFailure()).contains(failure);
            assertThat(Calls.fail(store, tube, holder, task, failure, Optional.empty()))
                    .as("it is not held any more")
                    .isEmpty();
        }

        @Test
        void what_is_given_back_does_not_count_as_an_attempt() {
            put("a");
            put("b");
            Holder holder = holder();
            List<Task> tasks = store.claim(tube, holder, OrderKey.START, 2).stream()
                    .map(ClaimedTask::task)
                    .toList();
            assertThat(Calls.returnUnstarted(store, tube, holder, tasks)).hasSize(2);
            assertThat(Calls.returnUnstarted(store, tube, holder, tasks)).isEmpty();
            assertThat(store.claim(tube, holder, OrderKey.START, 2))
                    .extracting(claimed -> claimed.task().attempts())
                    .containsExactly(1, 1);
        }

        @Test
        void a_change_and_a_look_together_are_one_transaction() {
            long id = put("a");
            assertThat(Calls.buryUnheld(store, tube, id, TaskState.READY)).isPresent();
            List<Task> kicked = store.together(() -> store.tasks(tube, Calls.kick(store, tube, 1)));
            assertThat(kicked).singleElement().satisfies(task -> {
                assertThat(task.state()).isEqualTo(TaskState.READY);
                assertThat(task.text()).isEqualTo("a");
                assertThat(task.tube()).isEqualTo(tube.name());
                assertThat(task.token()).isZero();
            });
            assertThatThrownBy(() -> store.together(() -> {
                        Calls.delete(store, tube, id);
                        throw new IllegalStateException("thrown on purpose");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(store.find(tube, id)).isPresent();
        }

        @Test
        void remove_all_returns_what_was_there() {
            put("a");
            put("b");
            claim(store, 1);
            assertThat(Calls.truncateTelling(store, tube))
                    .extracting(task -> task.text() + " " + task.state())
                    .containsExactlyInAnyOrder("a TAKEN", "b READY");
            assertThat(store.counts()).isEmpty();
            assertThat(Calls.truncateTelling(store, tube)).isEmpty();
        }

        // servers

        @Test
        void what_a_dead_server_holds_is_released_and_it_learns_of_that() {
            put("a");
            assertThat(claim(store, 1)).containsExactly("a");
            int silent = node;
            node = registry.registerNode("other");
            assertThat(registry.releaseDead(Duration.ZERO)).isEmpty();
            assertThat(registry.markDead(peer(silent))).isTrue();
            assertThat(registry.seen(silent)).isFalse();
            assertThat(registry.releaseDead(Duration.ZERO))
                    .extracting(Released::tube)
                    .containsExactly(tube.id());
            assertThat(registry.peers("x", Duration.ZERO, Duration.ZERO))
                    .extracting(Peer::node)
                    .doesNotContain(silent);
            assertThat(registry.seen(silent)).isFalse();
            assertThat(claim(store, 1)).containsExactly("a");
        }

        private Peer peer(int number) {
            return registry.peers("x", Duration.ZERO, Duration.ZERO).stream()
                    .filter(peer -> peer.node() == number)
                    .findFirst()
                    .orElseThrow();
        }

        @Test
        void a_server_that_was_seen_meanwhile_is_not_taken_for_dead() {
            Peer before = peer(node);
            Eventually.holds(
                    () -> registry.seen(node) && peer(node).seenAt().isAfter(before.seenAt()), "it is seen later");
            assertThat(registry.markDead(before)).isFalse();
            assertThat(registry.seen(node)).isTrue();
        }

        @Test
        void a_former_self_is_overdue_sooner_than_others() {
            Duration hour = Duration.ofHours(1);
            Eventually.holds(
                    () -> registry.peers("test", Duration.ofMillis(1), hour).stream()
                            .filter(peer -> peer.node() == node)
                            .anyMatch(Peer::overdue),
                    "it is overdue");
            assertThat(registry.peers("another name", Duration.ofMillis(1), hour))
                    .noneMatch(Peer::overdue);
        }

        @Test
        void what_somebody_has_locked_of_a_dead_server_is_left_for_the_next_time_and_waited_for_by_nobody()
                throws Exception {
            put("a");
            put("b");
            assertThat(claim(store, 2)).hasSize(2);
            long locked = first(TaskState.TAKEN);
            int silent = node;
            node = registry.registerNode("other");
            registry.markDead(peer(silent));
            try (Connection other = database.getConnection()) {
                other.setAutoCommit(false);
                other.createStatement().execute("UPDATE tasktube_task SET pri = pri WHERE id = " + locked);
                assertThat(registry.releaseDead(Duration.ZERO))
                        .flatExtracting(Released::ids)
                        .hasSize(1)
                        .doesNotContain(locked);
                assertThat(peer(silent).dead()).isTrue();
                other.rollback();
            }
            assertThat(registry.releaseDead(Duration.ZERO))
                    .flatExtracting(Released::ids)
                    .containsExactly(locked);
            assertThat(registry.peers("x", Duration.ZERO, Duration.ZERO))
                    .extracting(Peer::node)
                    .doesNotContain(silent);
        }

        private long first(TaskState state) {
            return store.page(tube, state, 0, 1).get(0).id();
        }

        @Test
        void what_was_taken_under_a_number_that_is_not_registered_is_seen_to_be_unheld() {
            put("a");
            put("b");
            assertThat(claim(store, 1)).containsExactly("a");
            assertThat(store.claim(tube, new Holder(UUID.randomUUID(), 4711), OrderKey.START, 1))
                    .hasSize(1);
            List<Taken> unheld =
                    registry.taken().stream().filter(Taken::isUnheld).toList();
            assertThat(unheld).extracting(Taken::node).containsExactly(4711);
            assertThat(registry.returnUnstarted(unheld))
                    .extracting(Released::tube)
                    .containsExactly(tube.id());
            assertThat(registry.returnUnstarted(unheld)).isEmpty();
            assertThat(claim(store, 5)).containsExactly("b");
        }

        @Test
        void tasks_are_adopted_from_a_number_only_while_they_are_with_the_same_taking() {
            put("a");
            assertThat(claim(store, 1)).containsExactly("a");
            List<Taken> taken = registry.taken();
            int next = registry.registerNode("test");
            registry.adopt(taken, next);
            assertThat(registry.taken()).extracting(Taken::node).containsExactly(next);
            registry.release(registry.taken());
            assertThat(claim(store, 1)).containsExactly("a");
            registry.adopt(taken, next);
            assertThat(registry.taken()).extracting(Taken::node).containsExactly(node);
        }

        @Test
        void a_server_that_leaves_releases_what_it_holds_and_nobody_elses() {
            put("a");
            put("b");
            int leaving = registry.registerNode("leaving");
            assertThat(store.claim(tube, new Holder(UUID.randomUUID(), leaving), OrderKey.START, 1))
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
            try (OpenStore again = SqlStores.open(database, false, () -> {})) {
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
                return SqlStores.open(dataSource, true, () -> {});
            } catch (StoreUnavailableException e) {
                throw new IllegalStateException(e);
            }
        }

        @Test
        void missing_tables_are_an_error_where_software_must_not_create_them() {
            try (HikariDataSource fresh = kind.create()) {
                assertThatThrownBy(() -> SqlStores.open(fresh, false, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("createTables is false")
                        .hasMessageContaining("schema-");
            }
        }

        @Test
        void a_foreign_table_is_an_error_and_left_alone() throws SQLException {
            try (HikariDataSource fresh = kind.create()) {
                execute(fresh, "CREATE TABLE tasktube_task (id integer)");
                assertThatThrownBy(() -> SqlStores.open(fresh, true, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("not TaskTube's");
                execute(fresh, "INSERT INTO tasktube_task VALUES (1)");
            }
        }

        @Test
        void tables_of_another_version_are_an_error_that_names_both() throws Exception {
            try (HikariDataSource fresh = kind.create()) {
                SqlStores.open(fresh, true, () -> {}).close();
                execute(fresh, "UPDATE tasktube_schema SET version = 7");
                assertThatThrownBy(() -> SqlStores.open(fresh, true, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("version 7")
                        .hasMessageContaining("needs 3");
            }
        }

        @Test
        void a_column_that_is_missing_is_an_error_that_names_it() throws Exception {
            try (HikariDataSource fresh = kind.create()) {
                SqlStores.open(fresh, true, () -> {}).close();
                execute(fresh, "ALTER TABLE tasktube_task DROP COLUMN error_type");
                assertThatThrownBy(() -> SqlStores.open(fresh, true, () -> {}))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("error_type");
            }
        }

        private static void execute(DataSource database, String sql) throws SQLException {
            new Sql(database).execute(sql);
        }

        private OpenTransactions begun() throws SQLException, StoreUnavailableException {
            OpenTransactions transaction = new OpenTransactions(database);
            transaction.begin();
            return transaction;
        }
    }
}
