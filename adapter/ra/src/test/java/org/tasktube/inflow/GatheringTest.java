package org.tasktube.inflow;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Tube;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** How long the claim loop waits for more tasks, in a temporary tube: there a claim itself takes some microseconds. */
@Timeout(60)
@Tag("full")
class GatheringTest {

    /** The figures of a cold JVM are longer than any wait. */
    private static final int WARM_UP = 500;

    private static final int ROUNDS = 5;
    private static final int MOST_ROUNDS = 20 * ROUNDS;
    private static final int TASKS = 20;

    /** After this the claim loop waits for tasks, mostly. */
    private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(5);

    private final AtomicLong begun = new AtomicLong();
    private final Semaphore worked = new Semaphore(0);
    private final Semaphore longWork = new Semaphore(0);

    private void work(String data) throws InterruptedException {
        begun.set(System.nanoTime());
        worked.release();
        if (data.equals("long")) {
            longWork.acquire();
        } else {
            // Longer than tasks gather at most
            LockSupport.parkNanos(2 * Prefetch.MAX_GATHERING.toNanos());
        }
    }

    /** A task with a key is not handed over, but claimed. */
    private static void put(Tube tube, String data) {
        tube.putUnique(UUID.randomUUID().toString(), data, PutOptions.defaults(), OnConflict.KEEP);
    }

    private long wait(Tube tube, String data) {
        LockSupport.parkNanos(QUIET);
        long before = System.nanoTime();
        put(tube, data);
        worked.acquireUninterruptibly();
        return begun.get() - before;
    }

    /** Returns the lowest tenth. */
    private static long low(List<Long> times) {
        return times.stream().sorted().skip(times.size() / 10).findFirst().orElseThrow();
    }

    @Test
    void a_claim_waits_for_more_tasks_only_while_the_bean_works() throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(TestDatabase.H2)) {
            Tube tube = adapter.newTemporaryTube();
            adapter.activate(new Bean(task -> work(task.data().text())), spec -> spec.setTube(tube.name()));
            for (int i = 0; i < WARM_UP; i++) {
                put(tube, "short");
                worked.acquire();
            }
            List<Long> idle = new ArrayList<>();
            List<Long> busy = new ArrayList<>();
            long least = Prefetch.MAX_GATHERING.toNanos() / 2;
            // On a busy machine the idle ones take as long, until it has a quiet moment
            for (int round = 0; round < ROUNDS || (low(busy) - low(idle) <= least && round < MOST_ROUNDS); round++) {
                IntStream.range(0, TASKS).forEach(i -> idle.add(wait(tube, "short")));
                wait(tube, "long");
                IntStream.range(0, TASKS).forEach(i -> busy.add(wait(tube, "short")));
                longWork.release();
            }
            assertThat(low(busy) - low(idle))
                    .as("nanoseconds longer while the bean works")
                    .isGreaterThan(least);
        }
    }
}
