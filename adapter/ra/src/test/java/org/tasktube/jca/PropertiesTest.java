package org.tasktube.jca;

import jakarta.resource.spi.InvalidPropertyException;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PropertiesTest {

    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void the_error_for_an_unreadable_number_says_what_the_property_takes() {
        for (String wrong : new String[] {"abc", "1.5", "99999999999", "0", "11"}) {
            refused(
                    properties -> properties.number("maxSession", wrong, 1, 10),
                    "property maxSession is '" + wrong + "': it takes a whole number, 1 to 10");
        }
    }

    @Test
    void the_error_for_an_unreadable_decimal_number_says_what_the_property_takes() {
        for (String wrong : new String[] {"abc", "NaN", "0.5", "1001"}) {
            refused(
                    properties -> properties.decimal("retryMultiplier", wrong, 1, 1000),
                    "property retryMultiplier is '" + wrong + "': it takes a number, 1 to 1000");
        }
    }

    @Test
    void the_error_for_an_unreadable_duration_says_what_the_property_takes_as_configuration_writes_it() {
        for (String wrong : new String[] {"abc", "5 years", "1ms", "2d", "999999999999999d"}) {
            refused(
                    properties -> properties.duration("pollInterval", wrong, Duration.ofMillis(1500), DAY),
                    "property pollInterval is '" + wrong
                            + "': it takes a duration such as 500ms, 1.5s, 10m, 2h, 1d or PT5S, 1.5s to 1d");
        }
    }

    @Test
    void the_errors_for_a_flag_and_a_choice_say_what_the_property_takes() {
        refused(properties -> properties.flag("createTables", "yes"), "it takes true or false");
        refused(properties -> properties.choice("graphiteProtocol", "http", Protocol.class), "it takes tcp or udp");
    }

    @Test
    void durations_are_read_in_every_way_that_they_are_written() throws Exception {
        Properties properties = new Properties();
        for (String second : new String[] {"1000ms", "1s", "1.0s", "1000", "PT1S", " 1 s "}) {
            assertThat(properties.duration("ttl", second, Duration.ZERO, DAY)).isEqualTo(Duration.ofSeconds(1));
        }
        assertThat(properties.duration("ttl", "2h", Duration.ZERO, DAY)).isEqualTo(Duration.ofHours(2));
        properties.check();
    }

    private enum Protocol {
        TCP,
        UDP
    }

    private static void refused(Consumer<Properties> read, String message) {
        Properties properties = new Properties();
        read.accept(properties);
        assertThatThrownBy(properties::check)
                .isInstanceOf(InvalidPropertyException.class)
                .hasMessageContaining(message);
    }
}
