package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeFullException;
import org.tasktube.session.ClientConnection;
import org.tasktube.spi.Position;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;
import org.tasktube.store.Transactions;
import org.tasktube.testing.Calls;
import org.tasktube.testing.OpenTransactions;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.Watcher;

import static org.assertj.core.api.Assertions.assertThat;

/** Many on three servers, in and outside transactions, at one tube that is full most of the time. */
@Tag("full")
class CapacityConcurrencyTest {

    private static final int CAPACITY = 50;
    private static final int SERVERS = 3;
    private static final int PRODUCERS = 6;
    private static final int TASKS_EACH = 400;
    private static final int CONSUMERS = 3;
    private static final int IN_TRANSACTIONS = 3;
    private static final int TRANSACTIONS_EACH = 150;
    private static final int MOST_AT_ONCE = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final AtomicInteger added = new AtomicInteger();
    private final AtomicInteger acked = new AtomicInteger();
    private final AtomicBoolean producing = new AtomicBoolean(true);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Test
    void rows_and_free_slots_are_the_capacity_at_any_moment() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                Watcher watcher = new Watcher(database)) {
            play(database);
            assertThat(watcher.deadlocksOfAllOthers()).isZero();
        }
    }

    /** Leaves no server running on the database. */
    private void play(HikariDataSource database) throws Exception {
        try {
            List<RunningNode> servers = IntStream.range(0, SERVERS)
                    .mapToObj(i -> server(database, "server" + i))
                    .toList();
            Node first = servers.get(0).node();
            String name = first.createTube(
                            new ClientConnection(), TubeDefinition.limfifottl(RunningNode.newName(), CAPACITY))
                    .name();
            StoredTube stored = first.find(name).orElseThrow().stored();
            runAll(database, servers, stored);
            assertThat(acked.get()).isEqualTo(added.get());
            servers.forEach(RunningNode::close);
        } finally {
            threads.shutdownNow();
        }
    }

    /** None may be taken for dead while the machine is busy. */
    private static RunningNode server(HikariDataSource database, String node) {
        return new RunningNode(
                database, Transactions.NONE, new Settings(node, 1 << 20, RunningNode.POLL, PATIENCE, Duration.ZERO));
    }

    private void runAll(HikariDataSource database, List<RunningNode> servers, StoredTube stored) throws Exception {
        Future<Integer> watch = threads.submit(() -> watch(database, stored.id()));
        List<Future<?>> producers = new ArrayList<>();
        List<Future<?>> consumers = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            Random random = new Random(i);
            Tube tube = tubeOf(servers, i, stored);
            producers.add(threads.submit(() -> produce(tube, random)));
        }
        for (int i = 0; i < IN_TRANSACTIONS; i++) {
            Random random = new Random(i);
            producers.add(threads.submit(() -> inTransactions(database, stored, random)));
        }
        for (int i = 0; i < CONSUMERS; i++) {
            Tube tube = tubeOf(servers, i, stored);
            consumers.add(threads.submit(() -> consume(tube)));
        }
        awaitAll(producers);
        producing.set(false);
        awaitAll(consumers);
        assertThat(watch.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isPositive();
    }

    private static Tube tubeOf(List<RunningNode> servers, int number, StoredTube stored) {
        return servers.get(number % SERVERS).node().tube(new ClientConnection(), stored.name());
    }

    private static void awaitAll(List<Future<?>> all) throws Exception {
        for (Future<?> each : all) {
            each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /**
     * One statement sees one moment. Returns how often it counted during the changes; it counts once more after them.
     */
    private int watch(HikariDataSource database, int tube) throws SQLException {
        String query = "SELECT (SELECT count(*) FROM tasktube_task WHERE tube_id = %1$d) * 1000"
                + " + (SELECT count(*) FROM tasktube_slot WHERE tube_id = %1$d)";
        int counts = 0;
        try (Watcher watcher = new Watcher(database)) {
            while (producing.get() || acked.get() < added.get()) {
                long seen = watcher.number(query.formatted(tube));
                assertThat(seen / 1000 + seen % 1000)
                        .as("%d tasks and %d free slots", seen / 1000, seen % 1000)
                        .isEqualTo(CAPACITY);
                counts++;
            }
            assertThat(watcher.number(query.formatted(tube)))
                    .as("free slots, no tasks")
                    .isEqualTo(CAPACITY);
        }
        return counts;
    }

    private Void produce(Tube tube, Random random) {
        int left = TASKS_EACH;
        while (left > 0) {
            left -= random.nextInt(4) == 0 ? putSome(tube, Math.min(left, MOST_AT_ONCE)) : putOne(tube);
        }
        return null;
    }

    private int putOne(Tube tube) {
        Optional<Task> put = tube.put("a", PutOptions.defaults(), Duration.ofMillis(200));
        added.addAndGet(put.isPresent() ? 1 : 0);
        return put.isPresent() ? 1 : 0;
    }

    /** All or none. */
    private int putSome(Tube tube, int count) {
        try {
            tube.putAll(IntStream.range(0, count).boxed().toList(), PutOptions.defaults());
            added.addAndGet(count);
            return count;
        } catch (TubeFullException e) {
            return 0;
        }
    }

    private Void consume(Tube tube) {
        while (producing.get() || acked.get() < added.get()) {
            List<Task> tasks = tube.take(MOST_AT_ONCE, Duration.ofMillis(50));
            tube.ackAll(tasks);
            acked.addAndGet(tasks.size());
        }
        return null;
    }

    /** Puts, takes and acks in transactions, most of which are rolled back. */
    private Void inTransactions(HikariDataSource database, StoredTube tube, Random random) throws Exception {
        try (OpenTransactions transactions = new OpenTransactions(database)) {
            for (int i = 0; i < TRANSACTIONS_EACH; i++) {
                transactions.begin();
                int put = putSome(transactions.store(), tube, random) + putSome(transactions.store(), tube, random);
                int worked = workOffSome(transactions.store(), tube);
                if (random.nextInt(4) == 0) {
                    transactions.commit();
                    added.addAndGet(put);
                    acked.addAndGet(worked);
                } else {
                    transactions.rollback();
                }
            }
        }
        return null;
    }

    private static int putSome(TaskStore store, StoredTube tube, Random random) {
        List<NewTask> tasks = Collections.nCopies(1 + random.nextInt(MOST_AT_ONCE), newTask());
        return store.put(tube, tasks).outcome() == Put.Outcome.DONE ? tasks.size() : 0;
    }

    private static int workOffSome(TaskStore store, StoredTube tube) {
        Holder holder = new Holder(UUID.randomUUID(), 0);
        List<Task> tasks = store.claim(tube, holder, OrderKey.START, MOST_AT_ONCE).stream()
                .map(ClaimedTask::task)
                .toList();
        assertThat(tasks.isEmpty() || Calls.ackAll(store, tube, holder, tasks)).isTrue();
        return tasks.size();
    }

    private static NewTask newTask() {
        return new NewTask(
                TaskState.READY,
                0,
                Position.last(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                TaskData.of("a"));
    }
}
