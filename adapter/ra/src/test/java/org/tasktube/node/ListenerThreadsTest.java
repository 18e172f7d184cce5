package org.tasktube.node;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.LogLines;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class ListenerThreadsTest {

    @Test
    void effects_that_come_after_the_adapters_end_are_not_reported_as_a_fault() throws Exception {
        ListenerThreads threads = new ListenerThreads();
        StoredTube tube = new StoredTube(1, TubeDefinition.fifo("orders"), false);
        try (LogLines lines = new LogLines("org.tasktube.node")) {
            threads.execute(tube, () -> {
                throw new AdapterNotRunningException(AdapterState.ENDING, "it stops");
            });
            threads.execute(tube, () -> {
                throw new IllegalStateException("a fault");
            });
            assertThat(threads.awaitDone(Duration.ofSeconds(10))).isTrue();
            assertThat(lines.of("TASKTUBE0105")).hasSize(1);
        } finally {
            threads.end();
        }
    }
}
