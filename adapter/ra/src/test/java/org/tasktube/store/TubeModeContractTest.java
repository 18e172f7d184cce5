package org.tasktube.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeDrainingException;
import org.tasktube.TubeMode;
import org.tasktube.store.sql.Registry;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.testing.DatabaseTestStore;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The modes of tubes in a database, beside open transactions, under a clock that the test sets. */
class TubeModeContractTest {

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

    @Timeout(60)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Rules {

        private final TestDatabase kind;
        private final Holder holder = new Holder(UUID.randomUUID(), 1);
        private DatabaseTestStore on;
        private TaskStore store;
        private Registry registry;
        private StoredTube tube;

        Rules(TestDatabase kind) {
            this.kind = kind;
        }

        @BeforeAll
        void start() {
            on = new DatabaseTestStore(kind, false);
            store = on.tasks();
            registry = on.registry();
        }

        @AfterAll
        void stop() {
            on.close();
        }

        @BeforeEach
        void newTube() {
            on.setClock(TestStore.START);
            tube = on.create(TubeDefinition.utubettl(RunningNode.newName()), true);
        }

        private Optional<ModeSetting> set(TubeMode mode) {
            return registry.setMode(tube, mode, "anna", mode == TubeMode.OPEN ? "" : "why");
        }

        private Put put(String text) {
            return store.put(tube, List.of(TaskToPut.of(text).build()));
        }

        private List<ClaimedTask> claim() {
            return store.claim(tube, holder, OrderKey.START, 9);
        }

        @Test
        void a_setting_has_the_time_of_the_database_and_is_found_with_its_tube() {
            on.setClock(TestStore.START.plusSeconds(5));
            ModeSetting paused = set(TubeMode.PAUSED).orElseThrow();
            assertThat(paused)
                    .isEqualTo(new ModeSetting(TubeMode.PAUSED, "anna", TestStore.START.plusSeconds(5), "why"));
            assertThat(registry.mode(tube)).contains(paused);
            assertThat(registry.tube(tube.name()).orElseThrow().mode()).isEqualTo(paused);
            assertThat(registry.tubes()).extracting(StoredTube::mode).contains(paused);
            assertThat(store.poll(List.of(), List.of()).modes()).containsEntry(tube.id(), paused);
        }

        @Test
        void a_created_tube_is_open_and_the_registry_finds_it_as_it_was_created() {
            assertThat(tube.mode().mode()).isEqualTo(TubeMode.OPEN);
            assertThat(registry.tube(tube.name())).contains(tube);
            assertThat(store.poll(List.of(), List.of()).modes()).doesNotContainKey(tube.id());
            assertThat(store.poll(List.of(tube.id()), List.of()).modes()).containsEntry(tube.id(), tube.mode());
        }

        @Test
        void the_mode_that_a_tube_has_is_not_set_again() {
            ModeSetting first = set(TubeMode.DRAINING).orElseThrow();
            assertThat(registry.setMode(tube, TubeMode.DRAINING, "ben", "again"))
                    .isEmpty();
            assertThat(registry.mode(tube)).contains(first);
        }

        @Test
        void each_setting_is_later_than_the_one_before_even_if_the_clock_is_set_back() {
            Instant before = tube.mode().since();
            for (TubeMode mode : List.of(TubeMode.PAUSED, TubeMode.DRAINING, TubeMode.OPEN, TubeMode.PAUSED)) {
                on.setClock(TestStore.START.minusSeconds(60));
                Instant next = set(mode).orElseThrow().since();
                assertThat(next).isAfter(before);
                before = next;
            }
        }

        @Test
        void others_see_a_setting_after_the_commit() {
            put("a");
            try (TestTransaction pausing = on.begin()) {
                pausing.in(() -> set(TubeMode.PAUSED));
                assertThat(pausing.in(this::claim)).isEmpty();
                assertThat(claim()).hasSize(1);
                put("b");
                pausing.commit();
            }
            assertThat(claim()).isEmpty();
            assertThat(store.poll(List.of(tube.id()), List.of()).ready()).isEmpty();
            set(TubeMode.OPEN);
            assertThat(store.poll(List.of(tube.id()), List.of()).ready()).containsExactly(tube.id());
            assertThat(claim()).hasSize(1);
        }

        @Test
        void a_rollback_leaves_the_mode_as_it_was() {
            try (TestTransaction draining = on.begin()) {
                draining.in(() -> set(TubeMode.DRAINING));
                assertThatThrownBy(() -> draining.in(() -> put("a"))).isInstanceOf(TubeDrainingException.class);
                draining.rollback();
            }
            assertThat(registry.mode(tube)).contains(tube.mode());
            assertThat(put("b").outcome()).isEqualTo(Put.Outcome.DONE);
        }

        @Test
        void a_task_that_is_put_for_a_holder_is_ready_in_a_paused_tube_and_refused_by_a_draining_one() {
            set(TubeMode.PAUSED);
            assertThat(putFor().outcome()).isEqualTo(Put.Outcome.DONE);
            set(TubeMode.DRAINING);
            assertThatThrownBy(this::putFor).isInstanceOf(TubeDrainingException.class);
        }

        private Put putFor() {
            return store.putFor(tube, TaskToPut.of("x").build(), holder, 1, () -> ClaimRange.of(OrderKey.START, 0));
        }

        @Test
        void of_two_transactions_that_pause_one_waits_and_changes_nothing() throws Exception {
            CompletableFuture<Optional<ModeSetting>> second;
            try (TestTransaction first = on.begin()) {
                first.in(() -> set(TubeMode.PAUSED));
                second = CompletableFuture.supplyAsync(
                        () -> registry.setMode(tube, TubeMode.PAUSED, "ben", "at the same time"));
                StoreContract.assertWaits(second);
                first.commit();
            }
            assertThat(second.get(60, TimeUnit.SECONDS)).isEmpty();
            assertThat(registry.mode(tube).orElseThrow().by()).isEqualTo("anna");
        }

        @Test
        void a_sub_queue_goes_on_after_a_setting_that_was_open_during_its_ack() {
            store.put(tube, List.of(TaskToPut.of("a").utube("x").build()));
            store.put(tube, List.of(TaskToPut.of("b").utube("x").build()));
            ClaimedTask first = claim().get(0);
            try (TestTransaction draining = on.begin()) {
                draining.in(() -> set(TubeMode.DRAINING));
                store.apply(tube, Change.of(Transition.ACK), holder, first.task());
                // In H2 the setting has the lock of promotions
                assertThat(claim()).hasSize(kind == TestDatabase.H2 ? 0 : 1);
                draining.commit();
            }
            assertThat(claim()).hasSize(kind == TestDatabase.H2 ? 1 : 0);
        }

        @Test
        void a_full_tube_that_is_drained_refuses_a_put_as_draining() {
            StoredTube full = on.create(TubeDefinition.limfifottl(RunningNode.newName(), 1), false);
            store.put(full, List.of(TaskToPut.of("a").build()));
            registry.setMode(full, TubeMode.DRAINING, "anna", "why");
            assertThatThrownBy(() -> store.put(full, List.of(TaskToPut.of("b").build())))
                    .isInstanceOf(TubeDrainingException.class)
                    .hasMessageContaining(full.name());
        }

        @Test
        void a_dropped_tube_has_no_mode() {
            on.drop(tube);
            assertThat(set(TubeMode.PAUSED)).isEmpty();
            assertThat(registry.mode(tube)).isEmpty();
            assertThat(put("late")).isEqualTo(Put.NO_TUBE);
        }

        @Test
        void a_pause_does_not_wait_for_open_puts_and_takes() {
            put("a");
            try (TestTransaction working = on.begin()) {
                working.in(() -> put("b"));
                working.in(this::claim);
                CompletableFuture<Optional<ModeSetting>> pause =
                        CompletableFuture.supplyAsync(() -> set(TubeMode.PAUSED));
                assertThat(pause.orTimeout(Duration.ofMinutes(1).toMillis(), TimeUnit.MILLISECONDS)
                                .join())
                        .isPresent();
                working.commit();
            }
        }
    }
}
