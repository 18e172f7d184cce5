package org.tasktube.console.audit;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.admin.AuditAct;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class RowQueueTest {

    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final CountDownLatch free = new CountDownLatch(1);
    private final List<String> written = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        free.countDown();
        thread.shutdownNow();
    }

    private static AuditAct act(String name) {
        return new AuditAct(
                "anna",
                "OPERATE",
                name,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                503,
                Optional.empty());
    }

    private void write(AuditAct act) {
        written.add(act.act());
    }

    private void writeWhenFree(AuditAct act) {
        try {
            free.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        write(act);
    }

    /** Returns when the thread has done all that it was given. */
    private void awaitThread() throws Exception {
        thread.submit(() -> {}).get(30, TimeUnit.SECONDS);
    }

    @Test
    void a_request_does_not_wait_for_a_connection_a_second_time_and_its_row_follows() throws Exception {
        RowQueue rows = new RowQueue(this::writeWhenFree, thread, SHORT);
        rows.add(act("first"));
        rows.add(act("second"));
        assertThat(written).isEmpty();
        free.countDown();
        awaitThread();
        assertThat(written).containsExactly("first", "second");
    }

    @Test
    void a_row_is_there_before_the_answer_if_a_connection_is_free() {
        RowQueue rows = new RowQueue(this::write, thread, LONG);
        for (int i = 0; i < 100; i++) {
            rows.add(act("act-" + i));
            assertThat(written).hasSize(i + 1).endsWith("act-" + i);
        }
    }

    @Test
    void a_row_that_fails_holds_up_neither_its_request_nor_the_next_row() {
        RowQueue rows = new RowQueue(
                act -> {
                    if (act.act().equals("exception")) {
                        throw new IllegalStateException("no room");
                    }
                    if (act.act().equals("error")) {
                        throw new StackOverflowError();
                    }
                    write(act);
                },
                thread,
                LONG);
        for (String name : List.of("exception", "error", "good")) {
            rows.add(act(name));
        }
        assertThat(written).containsExactly("good");
    }

    @Test
    void a_bounded_number_of_rows_waits_and_the_further_ones_have_their_line_only() throws Exception {
        RowQueue rows = new RowQueue(this::writeWhenFree, thread, Duration.ZERO);
        CountDownLatch begun = new CountDownLatch(1);
        thread.execute(() -> {
            begun.countDown();
            writeWhenFree(act("before"));
        });
        begun.await();
        IntStream.range(0, RowQueue.MOST + 1).forEach(i -> rows.add(act("act-" + i)));
        free.countDown();
        awaitThread();
        assertThat(written).hasSize(1 + RowQueue.MOST).endsWith("act-" + (RowQueue.MOST - 1));
        rows.add(act("later"));
        awaitThread();
        assertThat(written).endsWith("later");
    }

    @Test
    void a_request_does_not_wait_longer_than_the_console_runs() throws Exception {
        RowQueue rows = new RowQueue(this::writeWhenFree, thread, LONG);
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> rows.add(act("first")));
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> rows.add(act("second")));
        CompletableFuture.anyOf(first, second)
                .completeOnTimeout(null, SHORT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        rows.close();
        rows.add(act("third"));
        free.countDown();
        CompletableFuture.allOf(first, second).get(30, TimeUnit.SECONDS);
        awaitThread();
        assertThat(written).hasSizeLessThanOrEqualTo(1).doesNotContain("third");
    }

    @Test
    void a_server_that_stops_and_takes_no_work_holds_up_no_request() {
        Executor stopped = work -> {
            throw new RejectedExecutionException("the server stops");
        };
        RowQueue rows = new RowQueue(this::write, stopped, LONG);
        rows.add(act("first"));
        rows.add(act("second"));
        assertThat(written).isEmpty();
    }

    @Test
    void a_server_without_a_thread_for_a_row_is_asked_again_for_the_next_row() throws Exception {
        for (Throwable refusal : List.of(
                new RejectedExecutionException("the pool is full"),
                new OutOfMemoryError("unable to create native thread"))) {
            AtomicBoolean full = new AtomicBoolean(true);
            Executor executor = work -> {
                if (full.get()) {
                    throw RowQueueTest.<RuntimeException>asItIs(refusal);
                }
                thread.execute(work);
            };
            RowQueue rows = new RowQueue(this::write, executor, LONG);
            rows.add(act("refused"));
            full.set(false);
            rows.add(act(refusal.getMessage()));
            assertThat(written).doesNotContain("refused").endsWith(refusal.getMessage());
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> T asItIs(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
