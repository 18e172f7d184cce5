package org.tasktube.store.memory;

import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.Change;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;
import org.tasktube.testing.ManualTransactions;
import org.tasktube.testing.ManualTransactions.Transaction;
import org.tasktube.testing.TaskToPut;

import static org.assertj.core.api.Assertions.assertThat;

/** Calls at each depth of a small stack: from the first that overflows at once to those that have room. */
@Timeout(60)
@Tag("full")
class StackOverflowTest {

    private static final long STACK = 256 * 1024;

    private final Logger log = Logger.getLogger("org.tasktube.store");
    private final ManualTransactions transactions = new ManualTransactions();
    private final Holder holder = new Holder(UUID.randomUUID(), 1);
    private final StoredTube tube =
            new StoredTube(1, TubeDefinition.utubettl("a").asTemporary(), true);
    private final MemoryTaskStore store =
            new MemoryTaskStore(transactions, 100_000, 100_000_000, InstantSource.system());

    /** Each effect that an overflow cuts is logged with its trace: half a million lines. */
    @BeforeEach
    void logNothing() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void logAgain() {
        log.setLevel(null);
    }

    /** A class whose first use overflows the stack cannot be used again, in any virtual machine. */
    @BeforeEach
    void useAllClasses() {
        putClaimAndAck();
        transactions.begin();
        putClaimAndAck();
        transactions.commit();
    }

    @Test
    void an_overflow_at_any_depth_of_a_call_keeps_no_lock_and_does_nothing_by_half() throws Exception {
        // Frames of other sizes make other steps
        Walk small = new Walk(this::putClaimAndAck);
        onSmallStack(small::down);
        Walk large = new Walk(this::putClaimAndAck);
        onSmallStack(() -> large.down(1, 2, 3));
        assertThat(List.of(small, large)).allMatch(walk -> walk.cut > 0 && walk.done > 0);
        assertEachTaskIsReachable();
    }

    @Test
    void an_overflow_in_a_transaction_has_it_roll_back_all_of_it() throws Exception {
        put();
        List<Task> before = ready();
        Walk walk = new Walk(this::putClaimAndAck);
        onSmallStack(() -> {
            transactions.begin();
            walk.down();
            transactions.commit();
        });
        assertThat(walk.cut).isPositive();
        assertThat(elsewhere(this::ready)).isEqualTo(before);
        assertEachTaskIsReachable();
    }

    @Test
    void a_transaction_ends_though_its_end_overflows_the_stack() throws Exception {
        Walk walk = new Walk(() -> {
            Transaction open = transactions.begin();
            try {
                put();
            } finally {
                transactions.suspend();
                transactions.commit(open);
            }
        });
        onSmallStack(walk::down);
        assertThat(List.of(walk.cut, walk.done)).allMatch(number -> number > 0);
        assertEachTaskIsReachable();
    }

    private List<Task> ready() {
        return store.reads().page(tube, TaskState.READY, 0, 10);
    }

    private long put() {
        return store.put(tube, List.of(TaskToPut.of("x").utube("one").build())).id();
    }

    private void putClaimAndAck() {
        put();
        for (ClaimedTask claimed : claim()) {
            store.apply(tube, Change.of(Transition.ACK), holder, claimed.task());
        }
    }

    private List<ClaimedTask> claim() {
        return store.claim(tube, holder, 1, ClaimRange.of(OrderKey.START, 1));
    }

    /** The walks may have left tasks, which are whole: the one that is taken can be released, and all be worked off. */
    private void assertEachTaskIsReachable() throws Exception {
        int worked = elsewhere(() -> {
            store.applyToAll(tube, Change.of(Transition.RELEASE_ALL), false);
            int all = store.reads().page(tube, TaskState.READY, 0, 100_000).size();
            int count = 0;
            for (List<ClaimedTask> claimed = claim(); !claimed.isEmpty(); claimed = claim()) {
                store.apply(
                        tube, Change.of(Transition.ACK), holder, claimed.get(0).task());
                count++;
            }
            assertThat(count).isEqualTo(all);
            return count;
        });
        assertThat(elsewhere(store.reads()::counts))
                .as("after %d tasks", worked)
                .isEmpty();
    }

    /** Calls on a thread that has never held a lock: an overflow may have left one with its own thread. */
    private static <T> T elsewhere(Supplier<T> call) throws Exception {
        return CompletableFuture.supplyAsync(call).get(60, TimeUnit.SECONDS);
    }

    private static void onSmallStack(Runnable work) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(null, work, "small stack", STACK);
        thread.setUncaughtExceptionHandler((ended, thrown) -> failure.set(thrown));
        thread.setDaemon(true);
        thread.start();
        thread.join(TimeUnit.SECONDS.toMillis(20));
        assertThat(thread.isAlive()).isFalse();
        assertThat(failure.get()).isNull();
    }

    /** Overflows the stack, and makes a call on each level of the way back. */
    private static final class Walk {

        private static final int ENOUGH = 100;

        private final Runnable call;
        private int cut;
        private int done;

        Walk(Runnable call) {
            this.call = call;
        }

        @SuppressWarnings("InfiniteRecursion") // which is the subject
        void down() {
            try {
                down();
            } catch (StackOverflowError e) {
                // The deepest level
            }
            call();
        }

        @SuppressWarnings("InfiniteRecursion") // which is the subject
        long down(long a, long b, long c) {
            long more = a;
            try {
                more += down(a + b, b + c, c + a);
            } catch (StackOverflowError e) {
                more++;
            }
            call();
            return more;
        }

        private void call() {
            if (done == ENOUGH) {
                return;
            }
            try {
                call.run();
                done++;
            } catch (StackOverflowError e) {
                cut++;
            }
        }
    }
}
