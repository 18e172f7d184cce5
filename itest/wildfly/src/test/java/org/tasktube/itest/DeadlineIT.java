package org.tasktube.itest;

import jakarta.annotation.Resource;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.itest.app.Deployments;

import static org.assertj.core.api.Assertions.assertThat;

/** Delays and ttrs end in time: the EJB timer of tasktube-timers.jar is at work in this server. */
@ArquillianTest
@Tag("arquillian")
@Tag("full")
class DeadlineIT {

    private static final int TASKS = 250;
    private static final long SEED = 20261121;
    private static final int ROUNDS = 4;

    /** Without the timer the polls would end them, half a second late on average. */
    private static final Duration MEDIAN = Duration.ofMillis(250);

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Resource
    private UserTransaction transaction;

    private String name;

    @Deployment
    static WebArchive application() {
        return Deployments.application();
    }

    @BeforeEach
    void newTube() {
        name = "d" + UUID.randomUUID().toString().substring(0, 8);
        try (TubeConnection connection = tubes.getConnection()) {
            connection.createTube(TubeDefinition.fifottl(name));
        }
    }

    @Test
    void delays_end_in_time() throws Exception {
        inTime("delay", this::delays);
    }

    @Test
    void ttrs_end_in_time() throws Exception {
        inTime("ttr", this::ttrs);
    }

    /** In one of a few rounds: the first ones are a cold server's, and the machine may have other things to do. */
    private static void inTime(String what, Callable<List<Long>> round) throws Exception {
        Lateness lateness = new Lateness(round.call());
        for (int i = 1; i < ROUNDS && !lateness.isInTime(); i++) {
            lateness = new Lateness(round.call());
        }
        System.out.printf("%s: %d tasks, %s%n", what, TASKS, lateness);
        assertThat(lateness.least()).as("never early").isGreaterThan(Duration.ofMillis(-1));
        assertThat(lateness.isInTime()).as(lateness.toString()).isTrue();
    }

    private List<Long> delays() throws Exception {
        return takenWhile(TASKS, () -> {
            Random random = new Random(SEED);
            try (TubeConnection connection = tubes.getConnection()) {
                Tube tube = connection.tube(name);
                for (int i = 0; i < TASKS; i++) {
                    Duration delay = Duration.ofMillis(200 + random.nextInt(2_000));
                    tube.put(dueIn(delay), PutOptions.defaults().delay(delay));
                }
            }
            return null;
        });
    }

    private List<Long> ttrs() throws Exception {
        try (TubeConnection holder = tubes.getConnection()) {
            return takenWhile(TASKS, () -> {
                Random random = new Random(SEED);
                Tube tube = holder.tube(name);
                for (int i = 0; i < TASKS; i++) {
                    takeForAWhile(tube, Duration.ofMillis(200 + random.nextInt(2_000)), TASKS - i);
                }
                return null;
            });
        }
    }

    /**
     * Put and taken in one transaction, so that those who wait see it when its ttr is over, and not before; ahead of
     * all that were put before it, so that it is this one that is taken.
     */
    private void takeForAWhile(Tube tube, Duration ttr, int pri) throws Exception {
        transaction.begin();
        tube.put(dueIn(ttr), PutOptions.defaults().ttr(ttr).pri(pri));
        assertThat(tube.take(Duration.ZERO)).isPresent();
        transaction.commit();
    }

    private List<Long> takenWhile(int tasks, Callable<Void> producer) throws Exception {
        AtomicInteger left = new AtomicInteger(tasks);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<List<Long>>> takers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                takers.add(threads.submit(() -> takeAll(left)));
            }
            producer.call();
            List<Long> late = new ArrayList<>();
            for (Future<List<Long>> taker : takers) {
                late.addAll(taker.get(60, TimeUnit.SECONDS));
            }
            assertThat(late).hasSize(tasks);
            return late;
        } finally {
            threads.shutdownNow();
        }
    }

    private List<Long> takeAll(AtomicInteger left) {
        List<Long> late = new ArrayList<>();
        try (TubeConnection connection = tubes.getConnection()) {
            Tube tube = connection.tube(name);
            while (left.get() > 0 && !Thread.interrupted()) {
                tube.take(Duration.ofSeconds(1)).ifPresent(task -> {
                    late.add(System.nanoTime() - Long.parseLong(task.text()));
                    tube.ack(task);
                    left.decrementAndGet();
                });
            }
        }
        return late;
    }

    /** What a task carries: when it is due, by the clock that its taker reads too. */
    private static String dueIn(Duration time) {
        return Long.toString(System.nanoTime() + time.toNanos());
    }

    private record Lateness(Duration least, Duration median, Duration worst) {

        Lateness(List<Long> nanos) {
            this(at(nanos, 0), at(nanos, nanos.size() / 2), at(nanos, nanos.size() - 1));
        }

        private static Duration at(List<Long> nanos, int index) {
            return Duration.ofNanos(
                    nanos.stream().sorted().skip(index).findFirst().orElseThrow());
        }

        boolean isInTime() {
            return median.compareTo(MEDIAN) <= 0;
        }
    }
}
