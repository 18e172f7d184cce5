package org.tasktube.inflow;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.Tube;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The adapter's stop. */
@Timeout(120)
class StopTest {

    private static final int BEANS = 3;

    private final CountDownLatch begun = new CountDownLatch(BEANS);
    private final CountDownLatch release = new CountDownLatch(1);

    /** Each of them is given ten seconds. */
    @Test
    void beans_that_do_not_end_are_waited_for_together() throws Exception {
        try (Feeding feeding = new Feeding(TestDatabase.H2)) {
            for (int i = 0; i < BEANS; i++) {
                Tube tube = feeding.newTube();
                feeding.feed(new Bean(task -> block()), spec -> spec.setTube(tube.name()));
                tube.put("a");
            }
            begun.await();
            long start = System.nanoTime();
            feeding.activations().stopAll();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(18));
        } finally {
            release.countDown();
        }
    }

    private void block() throws InterruptedException {
        begun.countDown();
        release.await();
    }
}
