package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.testing.Watcher;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sixteen threads on three servers with one PostgreSQL, and a referee that is notified of each taking and each end of
 * one.
 */
@Tag("full")
class SubQueueConcurrencyTest {

    private static final int TASKS = 50_000;
    private static final int SUB_QUEUES = 100;
    private static final int SERVERS = 3;
    private static final int PRODUCERS = 5;
    private static final int CONSUMERS = 11;
    private static final int MOST_AT_ONCE = 20;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Referee referee = new Referee();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final long end = System.nanoTime() + PATIENCE.toNanos();

    @Test
    void no_task_is_lost_or_taken_twice_and_each_sub_queue_keeps_its_order_and_has_one_taken() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                Watcher watcher = new Watcher(database)) {
            play(database);
            assertThat(watcher.deadlocksOfAllOthers()).isZero();
        }
    }

    /** Leaves no server running on the database. */
    private void play(HikariDataSource database) throws InterruptedException {
        List<RunningNode> servers = IntStream.range(0, SERVERS)
                .mapToObj(i -> server(database, "server" + i))
                .toList();
        Tube tube = servers.get(0).newTube(new ClientConnection(), TubeDefinition.UTUBETTL);
        runAll(servers, tube.name());
        assertThat(failures).isEmpty();
        assertThat(referee.acked.get()).isEqualTo(TASKS);
        for (TaskState state : TaskState.values()) {
            assertThat(tube.tasks(state, 0, 1)).as(state.name()).isEmpty();
        }
        servers.forEach(RunningNode::close);
    }

    /** None may be taken for dead while the machine is busy. */
    private static RunningNode server(HikariDataSource database, String node) {
        return new RunningNode(
                database, Transactions.NONE, new Settings(node, 1 << 20, RunningNode.POLL, PATIENCE, Duration.ZERO));
    }

    private void runAll(List<RunningNode> servers, String tube) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS + CONSUMERS);
        for (int i = 0; i < PRODUCERS + CONSUMERS; i++) {
            int number = i;
            RunningNode server = servers.get(i % SERVERS);
            threads.execute(() ->
                    run(number < PRODUCERS ? new Producer(number, server, tube) : new Consumer(number, server, tube)));
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    private void run(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | AssertionError e) {
            failures.add(e);
        }
    }

    private boolean goesOn() {
        return referee.acked.get() < TASKS && failures.isEmpty() && System.nanoTime() < end;
    }

    /** Puts its share into all sub-queues, numbered in each. A task's text says which producer's which it is. */
    private final class Producer implements Runnable {

        private final int number;
        private final Tube tube;
        private final Random random;
        private final int[] next = new int[SUB_QUEUES];

        Producer(int number, RunningNode server, String tube) {
            this.number = number;
            this.tube = server.node().tube(new ClientConnection(), tube);
            this.random = new Random(number);
        }

        @Override
        public void run() {
            int left = TASKS / PRODUCERS;
            while (left > 0 && failures.isEmpty()) {
                int count = random.nextBoolean() ? 1 : Math.min(left, 1 + random.nextInt(MOST_AT_ONCE));
                put(random.nextInt(SUB_QUEUES), count);
                left -= count;
            }
        }

        private void put(int utube, int count) {
            List<String> texts = IntStream.range(next[utube], next[utube] + count)
                    .mapToObj(i -> number + " " + i)
                    .toList();
            next[utube] += count;
            PutOptions options = PutOptions.defaults().utube("utube-" + utube);
            if (count == 1) {
                tube.put(texts.get(0), options);
            } else {
                tube.putAll(texts, options);
            }
        }
    }

    /** Takes one or some and acks them, but now and then does otherwise with the first. */
    private final class Consumer implements Runnable {

        private final RunningNode server;
        private final String name;
        private final Random random;
        private ClientConnection client = new ClientConnection();
        private Tube tube;

        Consumer(int number, RunningNode server, String name) {
            this.server = server;
            this.name = name;
            this.random = new Random(number);
            this.tube = server.node().tube(client, name);
        }

        @Override
        public void run() {
            while (goesOn()) {
                int max = random.nextInt(4) == 0 ? 1 : MOST_AT_ONCE;
                List<Task> tasks = new ArrayList<>(tube.take(max, Duration.ofMillis(50)));
                tasks.forEach(task -> referee.taken(task, this));
                if (tasks.isEmpty()) {
                    // What another one has buried and could not kick, as it was locked
                    tube.kick(MOST_AT_ONCE);
                } else {
                    workOff(tasks);
                }
            }
        }

        private void workOff(List<Task> tasks) {
            int lot = random.nextInt(100);
            if (lot == 0) {
                closeHolding(tasks);
                return;
            }
            if (lot < 10) {
                otherwise(tasks.remove(0), lot);
            }
            if (tasks.size() == 1) {
                referee.acks(tasks.get(0), this);
                tube.ack(tasks.get(0));
            } else {
                tasks.forEach(task -> referee.acks(task, this));
                tube.ackAll(tasks);
            }
        }

        private void closeHolding(List<Task> tasks) {
            tasks.forEach(task -> referee.releases(task, this));
            server.node().close(client);
            client = new ClientConnection();
            tube = server.node().tube(client, name);
        }

        private void otherwise(Task task, int lot) {
            if (lot < 5) {
                referee.releases(task, this);
                tube.release(task);
                return;
            }
            referee.setsAside(task, this);
            if (lot < 7) {
                tube.release(task, ReleaseOptions.defaults().delay(Duration.ofMillis(20)));
            } else if (lot < 9) {
                tube.bury(task);
                tube.kick();
            } else {
                tube.delete(task.id());
                tube.put(task.text(), PutOptions.defaults().utube(task.utube().orElseThrow()));
            }
        }
    }

    /**
     * Knows who holds what. It is notified of an end just before it, because the next taking may happen before the call
     * returns. So it misses a taking during an end, and nothing else.
     */
    private static final class Referee {

        private final Map<String, SubQueue> subQueues = new ConcurrentHashMap<>();
        private final AtomicInteger acked = new AtomicInteger();

        void taken(Task task, Object holder) {
            subQueue(task).taken(task, holder);
        }

        void releases(Task task, Object holder) {
            subQueue(task).ends(task, holder);
        }

        void setsAside(Task task, Object holder) {
            subQueue(task).setsAside(task, holder);
        }

        void acks(Task task, Object holder) {
            subQueue(task).acks(task, holder);
            acked.incrementAndGet();
        }

        private SubQueue subQueue(Task task) {
            return subQueues.computeIfAbsent(task.utube().orElse(""), utube -> new SubQueue());
        }
    }

    /** What happened in one sub-queue. */
    private static final class SubQueue {

        private final Map<String, Numbers> ofProducer = new HashMap<>();
        private Object holder;

        synchronized void taken(Task task, Object by) {
            assertThat(holder)
                    .as("who holds %s as task %s is taken", task.utube(), task)
                    .isNull();
            holder = by;
            numbers(task).taken(task, number(task));
        }

        synchronized void ends(Task task, Object by) {
            assertThat(holder)
                    .as("who holds %s as task %s ends", task.utube(), task)
                    .isSameAs(by);
            holder = null;
        }

        synchronized void setsAside(Task task, Object by) {
            ends(task, by);
            numbers(task).aside.set(number(task));
        }

        synchronized void acks(Task task, Object by) {
            ends(task, by);
            numbers(task).acked.set(number(task));
        }

        private Numbers numbers(Task task) {
            return ofProducer.computeIfAbsent(task.text().split(" ", 2)[0], producer -> new Numbers());
        }

        private static int number(Task task) {
            return Integer.parseInt(task.text().split(" ", 2)[1]);
        }
    }

    /** What one producer has put into one sub-queue; what was set aside may be taken again at any time. */
    private static final class Numbers {

        private final BitSet acked = new BitSet();
        private final BitSet aside = new BitSet();
        private int next;

        void taken(Task task, int number) {
            assertThat(acked.get(number)).as("%s was acked before", task).isFalse();
            while (acked.get(next) || aside.get(next)) {
                next++;
            }
            if (!aside.get(number)) {
                assertThat(number).as("the number of %s", task).isEqualTo(next);
            }
        }
    }
}
