package org.tasktube.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.StoreException;
import org.tasktube.admin.OldestReady;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
class OldestReadyAgesTest {

    private static final OldestReady ORDERS = new OldestReady("orders", 1, Instant.EPOCH, Duration.ofSeconds(7));

    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicLong now = new AtomicLong();

    @Test
    void callers_of_a_second_share_one_read() {
        OldestReadyAges ages = new OldestReadyAges(
                () -> {
                    reads.incrementAndGet();
                    return List.of(ORDERS);
                },
                now::get);
        for (int i = 0; i < 100; i++) {
            assertThat(ages.get()).contains(Map.of("orders", Duration.ofSeconds(7)));
        }
        assertThat(reads).hasValue(1);

        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        ages.get();
        assertThat(reads).hasValue(2);
    }

    @Test
    void a_database_that_fails_is_asked_once_per_second_and_the_ages_are_unknown() {
        OldestReadyAges ages = new OldestReadyAges(
                () -> {
                    reads.incrementAndGet();
                    throw new StoreException("the database is away", new IllegalStateException());
                },
                now::get);
        for (int i = 0; i < 100; i++) {
            assertThat(ages.get()).isEmpty();
        }
        assertThat(reads).hasValue(1);
    }

    @Test
    void a_read_that_hangs_holds_up_no_other_caller_for_longer_than_a_second() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        OldestReadyAges ages = new OldestReadyAges(
                () -> {
                    begun.countDown();
                    await(end);
                    return List.of(ORDERS);
                },
                now::get);
        CompletableFuture<?> hanging = CompletableFuture.supplyAsync(ages::get);
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ages.get()).isEmpty();
        end.countDown();
        hanging.get(60, TimeUnit.SECONDS);
        assertThat(ages.get()).isPresent();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
