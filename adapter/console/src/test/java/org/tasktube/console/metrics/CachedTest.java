package org.tasktube.console.metrics;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Many callers cost as much as one. */
class CachedTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final AtomicLong now = new AtomicLong(-1);
    private final AtomicInteger reads = new AtomicInteger();

    @Test
    void callers_within_a_second_share_an_answer() {
        Cached<Integer> cached = new Cached<>(reads::incrementAndGet, now::get, LONG);

        assertThat(cached.get()).contains(1);
        now.addAndGet(Duration.ofMillis(999).toNanos());
        assertThat(cached.get()).contains(1);
        now.addAndGet(Duration.ofMillis(1).toNanos());
        assertThat(cached.get()).contains(2);
    }

    @Test
    void after_a_failure_the_next_caller_reads_again() {
        Cached<Integer> cached = new Cached<>(
                () -> {
                    if (reads.incrementAndGet() == 1) {
                        throw new IllegalStateException("the first read fails");
                    }
                    return 7;
                },
                now::get,
                LONG);

        assertThatThrownBy(cached::get).hasMessage("the first read fails");
        assertThat(cached.get()).contains(7);
    }

    @Test
    void a_caller_does_not_wait_for_ever_for_the_read_of_another() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch toAnswer = new CountDownLatch(1);
        Cached<Integer> cached = new Cached<>(
                () -> {
                    reading.countDown();
                    return await(toAnswer);
                },
                now::get,
                Duration.ofMillis(1));
        Thread first = new Thread(cached::get);
        first.start();
        reading.await();

        assertThat(cached.get()).isEmpty();

        toAnswer.countDown();
        first.join();
        assertThat(cached.get()).contains(1);
    }

    private int await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return reads.incrementAndGet();
    }
}
