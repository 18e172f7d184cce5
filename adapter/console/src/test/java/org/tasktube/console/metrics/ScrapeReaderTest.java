package org.tasktube.console.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.OldestReady;
import org.tasktube.console.metrics.Fakes.Adapter;
import org.tasktube.console.metrics.Scrape.Tubes;

import static org.assertj.core.api.Assertions.assertThat;

/** A scrape has the numbers that can be read, and its cost is bounded. */
class ScrapeReaderTest {

    private final Adapter adapter = new Adapter();

    @Test
    void a_scrape_has_each_tube_with_its_statistics_and_the_ages() {
        adapter.oldestReady = () -> List.of(new OldestReady("orders", 7, Instant.EPOCH, Duration.ofSeconds(5)));

        Scrape scrape = read();

        Tubes tubes = scrape.tubes().orElseThrow();
        assertThat(tubes.number()).isEqualTo(2);
        assertThat(tubes.shown()).extracting(tube -> tube.statistics().tube()).containsExactly("orders", "signals");
        assertThat(scrape.oldestReady().orElseThrow()).containsEntry("orders", Duration.ofSeconds(5));
    }

    @Test
    void a_tube_that_is_dropped_during_the_scrape_is_left_out() {
        adapter.dropped = Set.of("orders");

        Tubes tubes = read().tubes().orElseThrow();

        assertThat(tubes.shown()).extracting(tube -> tube.definition().name()).containsExactly("signals");
        assertThat(tubes.number()).isEqualTo(1);
    }

    @Test
    void beyond_1000_tubes_the_first_ones_by_name_are_read_and_the_others_are_counted() {
        adapter.tubes = () -> IntStream.range(0, 1_200)
                .mapToObj(i -> TubeDefinition.fifo(String.format("t%04d", i)))
                .toList();

        Tubes tubes = read().tubes().orElseThrow();

        assertThat(tubes.shown()).hasSize(1_000);
        assertThat(tubes.shown().get(999).definition().name()).isEqualTo("t0999");
        assertThat(tubes.number()).isEqualTo(1_200);
        assertThat(adapter.statistics).isEqualTo(1_000);
    }

    @Test
    void an_adapter_that_is_not_running_is_asked_for_its_state_only() {
        adapter.state = AdapterState.WAITING;
        adapter.tubes = () -> {
            throw new AssertionError("the tubes were read");
        };

        Scrape scrape = read();

        assertThat(scrape.state()).isEqualTo(AdapterState.WAITING);
        assertThat(scrape.tubes()).isEmpty();
    }

    @Test
    void an_adapter_that_stops_running_during_the_scrape_shows_its_later_state() {
        adapter.tubes = () -> {
            adapter.state = AdapterState.WAITING;
            throw new AdapterNotRunningException(AdapterState.WAITING, "the database is away");
        };

        Scrape scrape = read();

        assertThat(scrape.state()).isEqualTo(AdapterState.WAITING);
        assertThat(scrape.tubes()).isEmpty();
    }

    @Test
    void if_the_ages_cannot_be_read_the_other_numbers_are_there() {
        adapter.oldestReady = () -> {
            throw new StoreException("the database did not answer within 5 s", new IllegalStateException());
        };

        Scrape scrape = read();

        assertThat(scrape.tubes()).isPresent();
        assertThat(scrape.oldestReady()).isEmpty();
    }

    private Scrape read() {
        return ScrapeReader.read(adapter.connection(), "server1");
    }
}
