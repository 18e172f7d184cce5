package org.tasktube.ra;

import jakarta.resource.spi.ResourceAdapterInternalException;
import org.junit.jupiter.api.Test;
import org.tasktube.testing.TcpGraphite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Graphite from the adapter's start to its stop. */
class GraphiteLifeTest {

    private final TaskTubeResourceAdapter adapter = new TaskTubeResourceAdapter();

    @Test
    void statistics_are_sent_from_a_thread_of_the_servers_until_the_stop() throws Exception {
        FakeServer server = new FakeServer(2);
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
        FakeServer server = new FakeServer(2);
        adapter.start(server);
        assertThat(server.threads()).hasSize(1);
        adapter.stop();
    }

    @Test
    void a_server_that_has_no_thread_for_it_starts_the_adapter() throws Exception {
        FakeServer server = new FakeServer(1);
        adapter.setGraphiteHost("127.0.0.1");
        adapter.start(server);
        assertThat(server.threads()).hasSize(1);
        adapter.stop();
    }

    @Test
    void what_cannot_be_fails_the_start_by_its_name() {
        adapter.setGraphiteHost("127.0.0.1:2003");
        assertThatThrownBy(() -> adapter.start(new FakeServer(2)))
                .isInstanceOf(ResourceAdapterInternalException.class)
                .hasMessageContaining("property graphiteHost is '127.0.0.1:2003'");
    }
}
