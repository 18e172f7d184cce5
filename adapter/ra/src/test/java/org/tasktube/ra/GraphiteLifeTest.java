package org.tasktube.ra;

import jakarta.resource.spi.ResourceAdapterInternalException;
import org.junit.jupiter.api.Test;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.TcpGraphite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Graphite from the adapter's start to its stop. */
class GraphiteLifeTest {

    /** Heartbeat, maintenance and background work. */
    private static final int OWN_THREADS = 4;

    private final TaskTubeResourceAdapter adapter = new TaskTubeResourceAdapter();

    @Test
    void statistics_are_sent_from_a_thread_of_the_servers_until_the_stop() throws Exception {
        FakeServer server = new FakeServer(OWN_THREADS + 1);
        try (TcpGraphite graphite = new TcpGraphite()) {
            adapter.setGraphiteHost("127.0.0.1");
            adapter.setGraphitePort(Integer.toString(graphite.port()));
            adapter.setGraphiteInterval("1s");
            adapter.start(server);
            assertThat(graphite.lines()).isEmpty();

            adapter.stop();
            for (Thread thread : server.threads()) {
                thread.join(5_000);
                assertThat(thread.isAlive()).isFalse();
            }
        }
    }

    @Test
    void without_a_host_no_thread_is_asked_for() throws Exception {
        FakeServer server = new FakeServer(OWN_THREADS + 1);
        adapter.start(server);
        Eventually.holds(() -> server.threads().size() == OWN_THREADS, "the adapter has its own threads");
        adapter.stop();
        assertThat(server.threads()).hasSize(OWN_THREADS);
    }

    @Test
    void a_server_that_has_no_thread_for_it_starts_the_adapter() throws Exception {
        FakeServer server = new FakeServer(OWN_THREADS);
        adapter.setGraphiteHost("127.0.0.1");
        adapter.start(server);
        Eventually.holds(() -> server.threads().size() == OWN_THREADS, "the adapter has its own threads");
        adapter.stop();
        assertThat(server.threads()).hasSize(OWN_THREADS);
    }

    @Test
    void what_cannot_be_fails_the_start_by_its_name() {
        adapter.setGraphiteHost("127.0.0.1:2003");
        assertThatThrownBy(() -> adapter.start(new FakeServer(OWN_THREADS + 1)))
                .isInstanceOf(ResourceAdapterInternalException.class)
                .hasMessageContaining("property graphiteHost is '127.0.0.1:2003'");
    }
}
