package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.Outage;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What counts find and no server has told. A regular count comes after 54 seconds, which is too late for these tests. */
@Timeout(45)
class RecountTest {

    private static final String COUNT = "GROUP BY tube_id, state";

    private interface Play {
        void play(HikariDataSource database, RunningNode one, Tube tube) throws SQLException;
    }

    /** Two servers. The one that counts has a tube with a task. */
    private static void besideAnother(TestDatabase kind, Consumer<String> hook, Play test) throws SQLException {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(HookedDataSource.of(database, hook), "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            tube.put("stays");
            beat(two, 3);
            // The counts of the start are over then
            Eventually.holds(() -> one.node().recount().isRested(), "it has rested");
            beat(one, 12);
            test.play(database, one, tube);
        }
    }

    private static void beat(RunningNode server, int times) {
        int before = beats(server);
        Eventually.holds(() -> beats(server) >= before + times, times + " heartbeats");
    }

    private static int beats(RunningNode server) {
        return server.node().admin(new ClientConnection()).work().recent().size();
    }

    /** A row comes, of which no server tells. */
    private static void comeBySql(DataSource database, int number) throws SQLException {
        String others = "tube_id, state, pri, ord, created_at, content_type, data";
        new Sql(database)
                .execute("INSERT INTO tasktube_task (id, " + others + ") SELECT id + 1000 * " + number + ", " + others
                        + " FROM tasktube_task WHERE id < 1000");
    }

    private static void awaitReady(Tube tube, long ready, String why) {
        Eventually.holds(() -> tube.statistics().ready() == ready, why);
    }

    /** Tasks that come and go between two lines of another server are in no line. */
    @ParameterizedTest
    @DatabaseSource
    void a_count_that_has_corrected_something_is_checked_by_another(TestDatabase kind) throws SQLException {
        besideAnother(kind, text -> {}, (database, one, tube) -> {
            comeBySql(database, 1);
            Waiting.recount(one.node());
            new Sql(database).execute("DELETE FROM tasktube_task WHERE id > 1000");
            awaitReady(tube, 2, "one is gone, but no server tells of it");
            awaitReady(tube, 1, "it is not counted again");
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void a_check_is_not_checked(TestDatabase kind) throws SQLException {
        AtomicInteger counts = new AtomicInteger();
        Consumer<String> counted = text -> {
            if (text.endsWith(COUNT)) {
                counts.incrementAndGet();
            }
        };
        besideAnother(kind, counted, (database, one, tube) -> {
            counts.set(0);
            comeBySql(database, 1);
            Waiting.recount(one.node());
            for (int i = 2; i < 30; i++) {
                comeBySql(database, i);
                beat(one, 1);
            }
            assertThat(counts).as("of two tables, one count and its check").hasValueLessThanOrEqualTo(4);
        });
    }

    /** Its work before its first line that another server has read is in no line. */
    @ParameterizedTest
    @DatabaseSource
    void the_tasks_are_counted_when_another_server_has_come(TestDatabase kind) throws SQLException {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            tube.put("known");
            comeBySql(database, 1);
            try (RunningNode two = new RunningNode(database, "two")) {
                awaitReady(tube, 2, "both are known");
                awaitReady(two.node().tube(new ClientConnection(), tube.name()), 2, "and there");
            }
        }
    }

    /** Heartbeats can be longer than the time between two regular counts. */
    @ParameterizedTest
    @DatabaseSource
    void no_regular_count_comes_before_the_last_one_has_corrected(TestDatabase kind) throws SQLException {
        besideAnother(kind, text -> {}, (database, one, tube) -> {
            comeBySql(database, 1);
            Eventually.holds(
                    () -> {
                        one.node().recount().regularly();
                        return tube.statistics().ready() == 2;
                    },
                    "a count has corrected");
        });
    }

    /** A server that is alone counts, on the caller's thread, which does something each time before it gets a connection. */
    private static void countAfter(
            TestDatabase kind, Consumer<Tube> beforeConnect, BiConsumer<RunningNode, Tube> test) {
        try (HikariDataSource database = kind.create()) {
            Outage outage = new Outage(database);
            try (RunningNode one = new RunningNode(outage.source(), "one")) {
                Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
                Thread counts = Thread.currentThread();
                AtomicBoolean inside = new AtomicBoolean();
                outage.beforeConnect(() -> {
                    if (Thread.currentThread() == counts && inside.compareAndSet(false, true)) {
                        beforeConnect.accept(tube);
                        inside.set(false);
                    }
                });
                Waiting.recount(one.node());
                outage.beforeConnect(() -> {});
                test.accept(one, tube);
            }
        }
    }

    /** It waits for a connection while the server works. */
    @ParameterizedTest
    @DatabaseSource
    void a_count_does_not_find_what_happens_while_it_waits_for_a_connection(TestDatabase kind) {
        countAfter(kind, tube -> tube.put("x"), (one, tube) -> assertThat(
                        tube.statistics().ready())
                .isPositive()
                .isEqualTo(tube.tasks(TaskState.READY, 0, 100).size()));
    }

    /** The rest is for the database, which a count that waits for the pool does not keep busy. */
    @ParameterizedTest
    @DatabaseSource
    void no_rest_follows_a_wait_for_a_connection(TestDatabase kind) {
        Consumer<Tube> wait = tube -> {
            long end = System.nanoTime() + 2_000_000_000;
            while (System.nanoTime() - end < 0) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
        };
        countAfter(
                kind,
                wait,
                (one, tube) ->
                        Eventually.holds(() -> one.node().recount().isRested(), "it has rested for less than 100 s"));
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void the_count_of_a_store_that_has_opened_again_corrects_nothing_twice(TestDatabase kind) throws SQLException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goes = new CountDownLatch(1);
        AtomicBoolean stops = new AtomicBoolean();
        Consumer<String> stop = text -> {
            if (text.endsWith(COUNT) && stops.compareAndSet(true, false)) {
                begun.countDown();
                await(goes);
            }
        };
        besideAnother(kind, stop, (database, one, tube) -> {
            comeBySql(database, 1);
            stops.set(true);
            one.node().recount().soon();
            await(begun);
            CompletableFuture<Void> first =
                    one.node().recount().first(Waiting.access(one.node()).store());
            goes.countDown();
            first.join();
            assertThat(tube.statistics().ready()).isEqualTo(2);
            // With work, so that no check mends it
            for (int i = 0; i < 7; i++) {
                tube.ack(tube.take());
                tube.put("x");
                beat(one, 1);
                assertThat(tube.statistics().ready()).isEqualTo(2);
            }
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
