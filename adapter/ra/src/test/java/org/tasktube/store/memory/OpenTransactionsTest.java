package org.tasktube.store.memory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.TubeDefinition;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.ManualTransactions;
import org.tasktube.testing.TaskToPut;

import static org.assertj.core.api.Assertions.assertThat;

/** The ends of transactions beside a call that keeps the lock. */
@Timeout(60)
class OpenTransactionsTest {

    private final ManualTransactions transactions = new ManualTransactions();
    private final StoredTube tube = new StoredTube(1, TubeDefinition.fifo("a").asTemporary(), true);
    private final Memory memory = new Memory(InstantSource.system(), 10, 10_000);
    private final OpenTransactions open = new OpenTransactions(transactions, memory, Duration.ofMillis(50));

    @Test
    void a_commit_that_cannot_have_the_lock_gives_up_and_the_next_call_commits() throws Exception {
        transactions.begin();
        open.change(transaction ->
                memory.put(transaction, tube, List.of(TaskToPut.of("x").build())));
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CompletableFuture<?> holder = CompletableFuture.runAsync(() -> open.read(transaction -> {
            held.countDown();
            return awaited(released);
        }));
        held.await();
        transactions.commit();
        assertThat(holder).isNotDone();
        released.countDown();
        holder.get();
        assertThat(tasks()).isEqualTo(1);
    }

    private long tasks() {
        return open.read(transaction -> memory.tube(tube).all(transaction).count());
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
