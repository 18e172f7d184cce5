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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeInUseException;
import org.tasktube.TubeMode;
import org.tasktube.admin.TubeChange;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Registry;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.testing.Calls;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.OpenTransactions;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The rules of the registry: tubes beside open transactions, and the tasks of servers that start, leave and die. */
class RegistryContractTest {

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

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Rules {

        private final TestDatabase kind;
        private HikariDataSource database;
        private OpenStore open;
        private TaskStore store;
        private Registry registry;
        private StoredTube tube;
        private int node;

        Rules(TestDatabase kind) {
            this.kind = kind;
        }

        @BeforeAll
        void start() throws StoreUnavailableException {
            database = kind.create();
            open = SqlStores.open(database, true, () -> {});
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
            return store.put(tube, List.of(task(text))).id();
        }

        private static NewTask task(String text) {
            return TaskToPut.of(text).build();
        }

        private Holder holder() {
            return new Holder(UUID.randomUUID(), node);
        }

        private List<String> claim(TaskStore by, int max) {
            return by.claim(tube, holder(), OrderKey.START, max).stream()
                    .map(claimed -> claimed.task().text())
                    .toList();
        }

        // Tubes

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
        void a_put_that_commits_after_a_drop_leaves_no_task_without_a_tube() throws Exception {
            StoredTube dropped = registry.createTube(TubeDefinition.fifo(RunningNode.newName()), false)
                    .orElseThrow();
            boolean refused = false;
            try (OpenTransactions other = begun()) {
                other.store().put(dropped, List.of(task("late")));
                try {
                    registry.dropTube(dropped);
                } catch (TubeInUseException e) {
                    refused = true;
                    assertThat(e).hasMessageContaining(dropped.name()).hasMessageContaining("end that transaction");
                }
                other.commit();
            }
            store.removeOrphans();
            assertThat(store.reads().counts())
                    .filteredOn(count -> count.tube() == dropped.id())
                    .hasSize(refused ? 1 : 0);
            assertThat(refused).isEqualTo(kind == TestDatabase.POSTGRESQL);
            registry.dropTube(dropped);
        }

        @Test
        void tasks_of_dropped_tubes_are_removed_and_no_others() throws Exception {
            long stays = put("a");
            new Sql(database).execute("""
                    INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)
                    VALUES (-1, 1000000, 'r', 0, 0, CURRENT_TIMESTAMP, 'text/plain', CAST('' AS %s)),
                      (-2, 1000001, '!', 0, 0, CURRENT_TIMESTAMP, 'text/plain', CAST('' AS %1$s))""".formatted(kind == TestDatabase.H2 ? "varbinary" : "bytea"));
            new Sql(database).execute("INSERT INTO tasktube_dirty (tube_id, utube) VALUES (1000002, 'dropped')");
            try (OpenTransactions other = begun()) {
                StoredTube made = other.registry()
                        .createTube(TubeDefinition.fifo(RunningNode.newName()), false)
                        .orElseThrow();
                other.store().put(made, List.of(task("new")));
                assertThat(store.removeOrphans()).isEqualTo(2);
                other.commit();
                assertThat(store.removeOrphans()).isZero();
                assertThat(store.reads().first(made, TaskState.READY)).isPresent();
                registry.dropTube(made);
            }
            assertThat(store.reads().find(tube, stays)).isPresent();
        }

        // Servers

        @Test
        void what_a_dead_server_holds_is_released_and_it_learns_of_that() {
            put("a");
            assertThat(claim(store, 1)).containsExactly("a");
            int silent = node;
            node = registry.registerNode("other");
            assertThat(registry.releaseDead(Duration.ZERO)).isEmpty();
            assertThat(registry.markDead(peer(silent))).isTrue();
            assertThat(Calls.beat(registry, silent).known()).isFalse();
            assertThat(registry.releaseDead(Duration.ZERO))
                    .extracting(Released::tube)
                    .containsExactly(tube.id());
            assertThat(registry.peers("x", Duration.ZERO, Duration.ZERO))
                    .extracting(Peer::node)
                    .doesNotContain(silent);
            assertThat(Calls.beat(registry, silent).known()).isFalse();
            assertThat(claim(store, 1)).containsExactly("a");
        }

        private Peer peer(int number) {
            return registry.peers("x", Duration.ZERO, Duration.ZERO).stream()
                    .filter(peer -> peer.node() == number)
                    .findFirst()
                    .orElseThrow();
        }

        @Test
        void a_server_whose_heartbeat_was_just_written_is_not_taken_for_dead() {
            Peer before = peer(node);
            Eventually.holds(
                    () -> Calls.beat(registry, node).known()
                            && peer(node).seenAt().isAfter(before.seenAt()),
                    "it is seen later");
            assertThat(registry.markDead(before)).isFalse();
            assertThat(Calls.beat(registry, node).known()).isTrue();
        }

        @Test
        void a_heartbeat_says_which_servers_there_are() {
            int other = registry.registerNode("other");
            Pulse pulse = Calls.beat(registry, node);
            assertThat(pulse.known()).isTrue();
            assertThat(pulse.servers()).extracting(Peer::node).contains(node, other);
            assertThat(pulse.servers()).filteredOn(each -> each.node() == node).hasSize(1);
        }

        @Test
        void the_news_say_whether_a_session_is_over_or_a_tube_has_changed() {
            RegistryNews first = registry.news();
            assertThat(first.sessionsOver()).isFalse();
            assertThat(registry.news()).isEqualTo(first);
            StoredTube made = registry.createTube(TubeDefinition.fifottl(RunningNode.newName()), false)
                    .orElseThrow();
            String created = registry.news().tubes();
            assertThat(created).isNotEqualTo(first.tubes());
            registry.setMode(made, TubeMode.PAUSED, "somebody", "look");
            String paused = registry.news().tubes();
            assertThat(paused).isNotEqualTo(created);
            registry.change(made, TubeChange.NONE.pri(3));
            String changed = registry.news().tubes();
            assertThat(changed).isNotEqualTo(paused);
            registry.setMode(made, TubeMode.OPEN, "somebody", "");
            String resumed = registry.news().tubes();
            assertThat(resumed).isNotEqualTo(changed);
            assertThat(store.poll(Set.of(made.id()), Set.of()).news()).contains(registry.news());
            registry.dropTube(made);
            assertThat(registry.news().tubes()).isNotEqualTo(resumed);

            UUID session = UUID.randomUUID();
            registry.publish(session, node, SessionTerms.NONE);
            registry.leave(session, node, Optional.of(Duration.ofMillis(1)), Duration.ZERO);
            Eventually.holds(() -> registry.news().sessionsOver(), "its time is over");
            registry.expireSessions();
            assertThat(registry.news().sessionsOver()).isFalse();
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
        void locked_tasks_of_a_dead_server_are_left_for_the_next_time_without_waiting() throws Exception {
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
            return store.reads().page(tube, state, 0, 1).get(0).id();
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
            // A look that was too slow: somebody else holds the task by now
            assertThat(registry.returnUnstarted(unheld)).isEmpty();
            assertThat(store.reads().page(tube, TaskState.TAKEN, 0, 5)).hasSize(2);
        }

        @Test
        void a_server_that_leaves_releases_only_its_own_tasks() {
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

        @Test
        void a_server_that_leaves_stays_as_a_dead_one_until_another_forgets_it() {
            int leaving = registry.registerNode("leaving");
            registry.leave(leaving, Duration.ZERO);
            assertThat(peer(leaving).dead()).isTrue();
            assertThat(registry.releaseDead(Duration.ZERO)).isEmpty();
            assertThat(numbers()).contains(node).doesNotContain(leaving);
        }

        /** A call of an application that was still under way at the stop of its server. */
        @Test
        void a_session_that_comes_after_the_end_of_its_server_ends_with_the_next_that_is_dead() {
            int leaving = registry.registerNode("leaving");
            registry.leave(leaving, Duration.ZERO);
            registry.releaseDead(Duration.ZERO);
            assertThat(numbers()).doesNotContain(leaving);
            UUID late = UUID.randomUUID();
            registry.publish(late, leaving, SessionTerms.NONE);
            put("a");
            assertThat(store.claim(tube, new Holder(late, leaving), OrderKey.START, 1))
                    .hasSize(1);
            registry.releaseDead(Duration.ZERO);
            assertThat(registry.terms(late)).isEmpty();
            assertThat(claim(store, 1)).containsExactly("a");
        }

        /** As after the restore of a backup, where a number can have another server by now. */
        @Test
        void a_number_of_another_server_is_not_resumed() {
            int other = registry.registerNode("other");
            assertThat(registry.resumeNode(other, "not the other")).isFalse();
            assertThat(registry.resumeNode(other, "other")).isTrue();
            registry.leave(other, Duration.ZERO);
        }

        @Test
        void the_last_server_that_leaves_forgets_all_servers() {
            registry.registerNode("leaving");
            numbers().forEach(each -> registry.leave(each, Duration.ZERO));
            assertThat(numbers()).isEmpty();
        }

        private List<Integer> numbers() {
            return registry.peers("x", Duration.ZERO, Duration.ZERO).stream()
                    .map(Peer::node)
                    .toList();
        }

        private OpenTransactions begun() throws SQLException, StoreUnavailableException {
            OpenTransactions transaction = new OpenTransactions(database);
            transaction.begin();
            return transaction;
        }
    }
}
