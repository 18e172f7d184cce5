package org.tasktube.seeds;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** "Queues", the recipe of FoundationDB: enqueue and dequeue, and what it promises of clients that act concurrently. */
class FoundationDbRecipeTest {

    private static final int CLIENTS = 4;
    private static final int ITEMS = 25;

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Steps {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Steps {}

    abstract static class Steps extends LifeCycle {

        // "item = first_item(tr); if item is None: return None; del tr[item.key]; return item.value"
        @Test
        void dequeue_takes_the_first_item_away() {
            Tube q = tube(TubeDefinition.fifo("Q"));
            assertThat(q.take(Duration.ZERO)).isEmpty();
            q.put("first");
            q.put("second");
            assertThat(dequeue(q)).isEqualTo("first");
            assertThat(dequeue(q)).isEqualTo("second");
            assertThat(q.take(Duration.ZERO)).isEmpty();
        }

        // "Allow efficient operations on a shared queue by multiple clients acting concurrently"
        @Test
        void concurrent_clients_enqueue_and_dequeue_each_item_once() throws Exception {
            tube(TubeDefinition.fifo("shared"));
            atOnce(producer -> {
                Tube shared = node.tube(new ClientConnection(), "shared");
                IntStream.range(0, ITEMS).forEach(item -> shared.put(producer + "-" + item));
                return List.of();
            });
            List<List<String>> got = atOnce(consumer -> {
                Tube shared = node.tube(new ClientConnection(), "shared");
                return IntStream.range(0, ITEMS)
                        .mapToObj(item -> dequeue(shared))
                        .toList();
            });
            assertThat(got.stream().flatMap(List::stream))
                    .doesNotHaveDuplicates()
                    .hasSize(CLIENTS * ITEMS);
            got.forEach(Steps::keepTheOrderOfEachProducer);
        }

        private static String dequeue(Tube tube) {
            Task task = take(tube);
            tube.ack(task);
            return task.text();
        }

        private static <T> List<T> atOnce(IntFunction<T> work) throws Exception {
            List<CompletableFuture<T>> all = IntStream.range(0, CLIENTS)
                    .mapToObj(client -> CompletableFuture.supplyAsync(
                            () -> work.apply(client), command -> new Thread(command).start()))
                    .toList();
            List<T> results = new ArrayList<>();
            for (CompletableFuture<T> one : all) {
                results.add(got(one));
            }
            return results;
        }

        /** "The ordering of keys preserves the FIFO order of items" */
        private static void keepTheOrderOfEachProducer(List<String> items) {
            for (int producer = 0; producer < CLIENTS; producer++) {
                String prefix = producer + "-";
                assertThat(items.stream()
                                .filter(item -> item.startsWith(prefix))
                                .map(item -> Integer.parseInt(item.substring(prefix.length()))))
                        .isSorted();
            }
        }
    }
}
