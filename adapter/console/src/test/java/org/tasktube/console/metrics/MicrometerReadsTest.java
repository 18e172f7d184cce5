package org.tasktube.console.metrics;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tasktube.ConnectionException;
import org.tasktube.TubeDefinition;
import org.tasktube.console.metrics.Fakes.Adapter;

import static org.assertj.core.api.Assertions.assertThat;

class MicrometerReadsTest {

    private final Adapter adapter = new Adapter();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerReads reads = new MicrometerReads(adapter.factory(), registry);

    @Test
    void a_read_shows_the_tubes_and_leaves_no_connection_open() {
        reads.run();
        assertThat(registry.get("tasktube.tasks")
                        .tags("tube", "orders", "state", "ready")
                        .gauge()
                        .value())
                .isEqualTo(5);
        assertThat(adapter.open).isZero();
    }

    @Test
    void without_a_free_connection_no_old_numbers_are_shown_and_the_next_read_has_them_again() {
        reads.run();
        int before = registry.getMeters().size();
        adapter.refusal = new ConnectionException("no connection is free", new IllegalStateException());
        reads.run();
        assertThat(registry.getMeters()).isEmpty();
        adapter.refusal = null;
        reads.run();
        assertThat(registry.getMeters()).hasSize(before);
    }

    @Test
    void the_end_removes_all_and_a_late_read_shows_none() {
        reads.run();
        reads.close();
        assertThat(registry.getMeters()).isEmpty();
        reads.run();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void a_server_of_very_many_tubes_shows_the_first_and_counts_the_others() {
        List<TubeDefinition> tubes = IntStream.range(0, MicrometerReads.MAX_TUBES + 7)
                .mapToObj(i -> TubeDefinition.fifo("t" + (1_000 + i)))
                .toList();
        adapter.tubes = () -> tubes;
        reads.run();
        assertThat(registry.get("tasktube.tubes.omitted").gauge().value()).isEqualTo(7);
        assertThat(registry.get("tasktube.tubes").gauge().value()).isEqualTo(tubes.size());
        assertThat(registry.find("tasktube.tube.info").gauges()).hasSize(MicrometerReads.MAX_TUBES);
    }
}
