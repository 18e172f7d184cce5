package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.History;
import org.tasktube.TubeDefinition;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TubeCount;
import org.tasktube.testing.Calls;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Operations that change very many tasks in one transaction: they end, and no other call waits for them. */
@Tag("full")
class ManyTasksTest {

    private static final int MANY = 100_000;

    /** H2 takes a quarter of a millisecond each. With a subquery for the ids it did not end within minutes. */
    private static final int MANY_FOR_H2 = 5_000;

    /** Longer than a call can take, on however slow a machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration LOCKS = Duration.ofSeconds(1);

    private final Holder me = new Holder(UUID.randomUUID(), 1);

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_change_of_very_many_tasks_ends_and_holds_up_no_other_call(TestDatabase kind) throws Exception {
        int count = kind == TestDatabase.H2 ? MANY_FOR_H2 : MANY;
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (HikariDataSource database = kind.create();
                OpenStore open = SqlStores.open(database, true, () -> {});
                OpenStore heart = open.onOwnConnection(LOCKS, PATIENCE)) {
            TaskStore store = open.tasks();
            StoredTube many = tube(open, "many");
            StoredTube other = tube(open, "other");
            int node = open.registry().registerNode("test");
            Others others = new Others(threads, () -> {
                store.put(many, List.of(task()));
                store.claim(many, me, OrderKey.START, 1);
                assertThat(Calls.beat(heart.registry(), node).known()).isTrue();
            });
            Others apart = new Others(threads, () -> {
                store.put(other, List.of(task()));
                store.claim(other, me, OrderKey.START, 1)
                        .forEach(claimed -> assertThat(Calls.ack(store, other, me, claimed.task()))
                                .isTrue());
            });

            fill(database, kind, many, "!", count);
            assertThat(Calls.kick(store, many, count)).hasSize(count);
            apart.beside(() -> others.beside(
                    () -> assertThat(size(Calls.truncate(store, many))).isGreaterThanOrEqualTo(count / 2)));
            Calls.truncate(store, many);
            fill(database, kind, many, "t", count);
            others.beside(() -> assertThat(Calls.releaseAll(store, many)).hasSizeGreaterThanOrEqualTo(count));
            apart.beside(() -> open.registry().dropTube(many));
            assertThat(store.reads().counts()).extracting(TubeCount::tube).doesNotContain(many.id());
        } finally {
            threads.shutdownNow();
        }
    }

    /** Each move of a removed task has a kilobyte in memory. */
    @Test
    void h2_writes_the_last_moves_of_few_removed_tasks_at_once() throws Exception {
        List<String> steps = new ArrayList<>();
        try (HikariDataSource database = TestDatabase.H2.create();
                OpenStore open = SqlStores.open(
                        HookedDataSource.of(database, statement -> {
                            if (statement.contains("DELETE FROM tasktube_task")) {
                                steps.add("remove");
                            } else if (statement.startsWith("INSERT INTO tasktube_history")) {
                                steps.add("keep");
                            }
                        }),
                        true,
                        () -> {})) {
            StoredTube many = open.registry()
                    .createTube(TubeDefinition.fifottl("many").history(History.ALL), false)
                    .orElseThrow();
            fill(database, TestDatabase.H2, many, "!", 250);
            assertThat(size(Calls.truncate(open.tasks(), many))).isEqualTo(250);
            assertThat(steps).containsExactly("remove", "keep", "remove", "keep", "remove", "keep");
            assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_history WHERE event = 'TRUNCATE'"))
                    .isEqualTo(250);
        }
    }

    /** Does something again and again, beside what must not hold it up. */
    private record Others(ExecutorService threads, Runnable work) {

        void beside(Runnable operation) {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch over = new CountDownLatch(1);
            Future<Duration> longest = threads.submit(() -> {
                Duration most = Duration.ZERO;
                do {
                    long before = System.nanoTime();
                    work.run();
                    Duration one = Duration.ofNanos(System.nanoTime() - before);
                    most = one.compareTo(most) > 0 ? one : most;
                    begun.countDown();
                } while (over.getCount() > 0);
                return most;
            });
            try {
                begun.await();
                operation.run();
                over.countDown();
                assertThat(longest.get()).isLessThan(PATIENCE);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            } finally {
                over.countDown();
            }
        }
    }

    private static long size(List<TubeCount> counts) {
        return counts.stream().mapToLong(TubeCount::tasks).sum();
    }

    private static StoredTube tube(OpenStore open, String name) {
        return open.registry()
                .createTube(TubeDefinition.of(name, TubeDefinition.FIFOTTL), false)
                .orElseThrow();
    }

    private static NewTask task() {
        return TaskToPut.of("a").build();
    }

    private static void fill(HikariDataSource database, TestDatabase kind, StoredTube tube, String state, int count)
            throws SQLException {
        boolean h2 = kind == TestDatabase.H2;
        try (Connection connection = database.getConnection();
                Statement on = connection.createStatement()) {
            on.execute("""
                    INSERT INTO tasktube_task (id, ord, tube_id, state, pri, created_at, content_type, data,
                      session, token, node, taken_at)
                    SELECT %1$s, n, %2$d, '%3$s', 0, CURRENT_TIMESTAMP, 'text/plain', %4$s, %5$s FROM %6$s""".formatted(
                            h2 ? "NEXT VALUE FOR tasktube_task_seq" : "nextval('tasktube_task_seq')",
                            tube.id(),
                            state,
                            h2 ? "X''" : "''::bytea",
                            state.equals("t")
                                    ? "CAST('" + UUID.randomUUID() + "' AS uuid), 7, 1, CURRENT_TIMESTAMP"
                                    : "NULL, NULL, NULL, NULL",
                            h2
                                    ? "(SELECT x AS n FROM SYSTEM_RANGE(1, " + count + ")) s"
                                    : "generate_series(1, " + count + ") n"));
        }
    }
}
