package org.tasktube.ra;

import jakarta.resource.spi.InvalidPropertyException;
import java.time.Duration;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.metrics.GraphiteSettings;
import org.tasktube.metrics.GraphiteSettings.Protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the adapter's properties become, and which are refused. */
class ConfigurationTest {

    private static final Map<String, BiConsumer<TaskTubeResourceAdapter, String>> SETTERS = Map.of(
            "graphiteHost", TaskTubeResourceAdapter::setGraphiteHost,
            "graphitePort", TaskTubeResourceAdapter::setGraphitePort,
            "graphiteProtocol", TaskTubeResourceAdapter::setGraphiteProtocol,
            "graphitePrefix", TaskTubeResourceAdapter::setGraphitePrefix,
            "graphiteInterval", TaskTubeResourceAdapter::setGraphiteInterval);

    private final TaskTubeResourceAdapter adapter = new TaskTubeResourceAdapter();

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void without_a_host_nothing_is_sent(String host) throws Exception {
        adapter.setGraphiteHost(host);

        assertThat(Configuration.read(adapter).graphite()).isEmpty();
    }

    @Test
    void a_host_is_enough() throws Exception {
        adapter.setNodeName("shop-1.example.com:eu west");
        adapter.setGraphiteHost("graphite.example.com");

        assertThat(Configuration.read(adapter).graphite())
                .contains(new GraphiteSettings(
                        "graphite.example.com",
                        2003,
                        Protocol.TCP,
                        "tasktube.shop-1_example_com_eu_west",
                        Duration.ofSeconds(10)));
    }

    @Test
    void all_of_it_can_be_set() throws Exception {
        adapter.setGraphiteHost("::1");
        adapter.setGraphitePort("1");
        adapter.setGraphiteProtocol("udp");
        adapter.setGraphitePrefix("shop.queue-1");
        adapter.setGraphiteInterval("1m");

        assertThat(Configuration.read(adapter).graphite())
                .contains(new GraphiteSettings("::1", 1, Protocol.UDP, "shop.queue-1", Duration.ofMinutes(1)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            graphiteHost     | graphite:2003         | takes a host's name or address, without protocol and port
            graphiteHost     | tcp://graphite        | takes a host's name or address, without protocol and port
            graphiteHost     | one two               | takes a host's name or address, without protocol and port
            graphitePort     | 0                     | takes a whole number, 1 to 65535
            graphitePort     | 65536                 | takes a whole number, 1 to 65535
            graphitePort     | carbon                | takes a whole number, 1 to 65535
            graphitePort     | ''                    | is missing
            graphiteProtocol | TCP                   | takes tcp or udp
            graphiteProtocol | pickle                | takes tcp or udp
            graphiteProtocol | ''                    | is missing
            graphitePrefix   | .shop                 | takes parts of letters
            graphitePrefix   | shop..queue           | takes parts of letters
            graphitePrefix   | shop queue            | takes parts of letters
            graphitePrefix   | shop;tag=1            | takes parts of letters
            graphiteInterval | 999ms                 | PT5S, 1s to 1h
            graphiteInterval | 2h                    | PT5S, 1s to 1h
            graphiteInterval | often                 | takes a duration such as 500ms
            graphiteInterval | ''                    | is missing
            """)
    void what_cannot_be_is_refused_by_name_with_graphite_or_without(String property, String value, String why) {
        for (String host : new String[] {"", "graphite"}) {
            adapter.setGraphiteHost(host);
            SETTERS.get(property).accept(adapter, value);

            assertThatThrownBy(() -> Configuration.read(adapter))
                    .isInstanceOf(InvalidPropertyException.class)
                    .message()
                    .startsWith("property " + property + " is")
                    .containsIgnoringCase(why);
        }
    }

    @Test
    void a_prefix_has_at_most_200_characters() throws Exception {
        adapter.setGraphitePrefix("x".repeat(200));
        assertThat(Configuration.read(adapter)).isNotNull();

        adapter.setGraphitePrefix("x".repeat(201));
        assertThatThrownBy(() -> Configuration.read(adapter)).hasMessageContaining("at most 200 characters");
    }

    @Test
    void a_node_name_that_no_database_takes_is_refused() throws Exception {
        adapter.setNodeName("x".repeat(255));
        assertThat(Configuration.read(adapter)).isNotNull();

        for (String name : new String[] {"x".repeat(256), "a\0b"}) {
            adapter.setNodeName(name);
            assertThatThrownBy(() -> Configuration.read(adapter))
                    .isInstanceOf(InvalidPropertyException.class)
                    .hasMessageContaining("nodeName")
                    .hasMessageContaining("1 to 255 characters");
        }
    }

    @Test
    void adapters_that_send_elsewhere_are_not_equal() {
        SETTERS.forEach((property, setter) -> {
            TaskTubeResourceAdapter other = new TaskTubeResourceAdapter();
            assertThat(other).isEqualTo(adapter);
            setter.accept(other, "other");
            assertThat(other).as(property).isNotEqualTo(adapter);
        });
    }
}
