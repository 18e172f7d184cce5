package org.tasktube.console.rest;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DeliveryTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(1);

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final Client client = new Client();

    @AfterEach
    void end() {
        clock.shutdownNow();
    }

    /** A client that reads, or does not. */
    private static final class Client extends OutputStream {

        private boolean reads;
        private boolean closed;
        private boolean cut;

        @Override
        public void write(int b) throws IOException {
            await();
        }

        @Override
        public void close() throws IOException {
            closed = true;
            await();
        }

        private void await() throws InterruptedIOException {
            cut = Thread.currentThread().isInterrupted();
            try {
                if (!reads || cut) {
                    new CountDownLatch(1).await();
                }
            } catch (InterruptedException e) {
                // The server leaves the thread interrupted
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("test");
            }
        }
    }

    private Delivery within(Duration time) {
        Delivery delivery = new Delivery(time);
        delivery.begin(clock, SHORT);
        return delivery;
    }

    @Test
    void an_answer_to_a_client_that_does_not_read_ends_with_its_connection() {
        assertThatThrownBy(() -> within(SHORT).write(client, out -> out.write(1)))
                .isInstanceOf(InterruptedIOException.class);
        assertThat(client.closed).isTrue();
        assertThat(client.cut).as("closed without a wait for the client").isTrue();
        assertThat(Thread.interrupted()).as("left to the server").isFalse();
    }

    @Test
    void an_answer_that_fails_ends_with_its_connection_and_with_the_failure() {
        client.reads = true;
        assertThatThrownBy(() -> within(LONG).write(client, out -> {
                    throw new OutOfMemoryError("test");
                }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(client.cut).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void an_answer_that_a_client_reads_in_time_is_whole() throws IOException {
        client.reads = true;
        within(LONG).write(client, out -> {
            out.write(1);
            out.close();
        });
        assertThat(client.cut).isFalse();
    }

    @Test
    void a_thread_whose_answer_is_whole_is_not_interrupted_later() throws Exception {
        client.reads = true;
        within(SHORT).write(client, OutputStream::close);
        clock.schedule(() -> {}, 20, TimeUnit.MILLISECONDS).get();
        assertThat(Thread.interrupted()).isFalse();
    }
}
