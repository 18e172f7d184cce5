package org.tasktube.ra;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterState;
import org.tasktube.jca.LongRunning;
import org.tasktube.testing.BoundedWorkManager;
import org.tasktube.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** The adapter's start, which the server waits for. */
class StartTest {

    @Test
    void a_start_returns_while_the_server_has_no_thread_and_the_adapter_begins_when_it_has() throws Exception {
        CountDownLatch others = new CountDownLatch(1);
        TaskTubeResourceAdapter adapter = new TaskTubeResourceAdapter();
        try (BoundedWorkManager threads = new BoundedWorkManager(4, 0)) {
            for (int i = 0; i < 4; i++) {
                threads.scheduleWork(new LongRunning(() -> await(others)));
            }
            Thread booting = new Thread(() -> {
                try {
                    adapter.start(new FakeServer(threads));
                } catch (jakarta.resource.ResourceException e) {
                    throw new AssertionError(e);
                }
            });
            booting.start();
            try {
                booting.join(5_000);
                assertThat(booting.isAlive()).isFalse();
            } finally {
                others.countDown();
                booting.join(20_000);
            }
            Eventually.holds(() -> adapter.node().state() == AdapterState.WAITING, "it waits for its database");
            adapter.stop();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
