package org.tasktube.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.testing.Calls;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;

/** The rules of tubes with a capacity that every store keeps beside open transactions. */
class CapacityContractTest {

    @Nested
    class OnH2 extends Rules {
        OnH2() {
            super(TestStore.Kind.H2);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        OnPostgreSql() {
            super(TestStore.Kind.POSTGRESQL);
        }
    }

    @Nested
    class Temporary extends Rules {
        Temporary() {
            super(TestStore.Kind.TEMPORARY);
        }
    }

    abstract static class Rules extends StoreContract {

        Rules(TestStore.Kind kind) {
            super(kind);
        }

        private Put.Outcome tryPut(String... texts) {
            return store.put(
                            limited,
                            List.of(texts).stream().map(StoreContract::task).toList())
                    .outcome();
        }

        private boolean hasFreeSlot() {
            return store.poll(List.of(), List.of(limited.id())).free().contains(limited.id());
        }

        @Test
        void a_capacity_counts_uncommitted_puts_and_uncommitted_removals() {
            put(limited, task("1"));
            TestTransaction putting = open(() -> put(limited, task("2")));
            assertThat(tryPut("3")).isEqualTo(Put.Outcome.FULL);
            putting.rollback();
            assertThat(hasFreeSlot()).isTrue();
            put(limited, task("2"));
            Task held = take(limited);
            TestTransaction acking = open(() -> Calls.ack(store, limited, holder, held));
            assertThat(tryPut("3")).isEqualTo(Put.Outcome.FULL);
            acking.commit();
            assertThat(tryPut("3", "4")).isEqualTo(Put.Outcome.FULL);
            put(limited, task("3"));
            assertThat(hasFreeSlot()).isFalse();
        }

        @Test
        void a_done_task_keeps_its_slot_but_not_its_key() {
            put(limited, keyed());
            Task held = take(limited);
            Calls.done(store, limited, holder, held, TaskResult.completed("r"));
            assertThat(store.reads().result(limited, held.id())).isPresent();
            put(limited, keyed());
            assertThat(tryPut("x")).isEqualTo(Put.Outcome.FULL);
            assertThat(store.put(limited, List.of(keyed())).outcome()).isEqualTo(Put.Outcome.EXISTS);
        }

        private static NewTask keyed() {
            return TaskToPut.of("k").uniqueKey("k").build();
        }

        @Test
        void a_transaction_may_put_where_it_has_removed() {
            put(limited, task("1"));
            put(limited, task("2"));
            TestTransaction transaction = open(() -> {
                assertThat(Calls.ack(store, limited, holder, take(limited))).isTrue();
                put(limited, task("3"));
                return assertThat(tryPut("4")).isEqualTo(Put.Outcome.FULL);
            });
            transaction.rollback();
            assertThat(tryPut("4")).isEqualTo(Put.Outcome.FULL);
            assertThat(claim(limited, 9)).hasSize(2);
        }

        @Test
        void producers_at_once_never_overfill() throws Exception {
            StoredTube ten = create(TubeDefinition.limfifottl(RunningNode.newName(), 10));
            List<CompletableFuture<Long>> producers = IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> putMany(ten)))
                    .toList();
            long kept = 0;
            for (CompletableFuture<Long> producer : producers) {
                kept += producer.get();
            }
            assertThat(kept).isEqualTo(10);
            assertThat(store.reads().page(ten, TaskState.READY, 0, 100)).hasSize(10);
            drop(ten);
        }

        private long putMany(StoredTube to) {
            return IntStream.range(0, 50)
                    .filter(i -> {
                        boolean commit = i % 3 != 0;
                        Put put = committing(commit, () -> store.put(to, List.of(task("x"))));
                        return commit && put.outcome() == Put.Outcome.DONE;
                    })
                    .count();
        }
    }
}
