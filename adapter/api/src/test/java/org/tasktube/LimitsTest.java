package org.tasktube;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LimitsTest {

    private static final Duration TOO_LONG = TubeDefinition.MAX_DURATION.plusMillis(1);

    @Test
    void a_negative_duration_is_refused_by_its_name() {
        refused(() -> PutOptions.defaults().delay(Duration.ofMillis(-1)), "delay PT-0.001S");
        refused(() -> PutOptions.defaults().ttl(Duration.ofSeconds(-1)), "ttl PT-1S");
        refused(() -> ReleaseOptions.defaults().delay(Duration.ofMillis(-1)), "delay");
    }

    @Test
    void no_time_at_all_is_refused_where_it_would_be_a_dead_task() {
        refused(() -> PutOptions.defaults().ttl(Duration.ZERO), "below 1 ms");
        refused(() -> PutOptions.defaults().ttr(Duration.ofNanos(999)), "below 1 ms");
        assertThat(PutOptions.defaults().delay(Duration.ZERO).delay()).contains(Duration.ZERO);
    }

    @Test
    void a_duration_over_100_years_is_refused_with_the_bound() {
        refused(() -> PutOptions.defaults().ttl(TOO_LONG), "36500 days");
        refused(() -> PutOptions.defaults().delay(Duration.ofSeconds(Long.MAX_VALUE)), "36500 days");
        refused(() -> TubeDefinition.fifottl("a").ttr(TOO_LONG), "ttr");
    }

    @Test
    void a_negative_pri_is_refused() {
        refused(() -> PutOptions.defaults().pri(-1), "pri -1");
        refused(() -> TubeDefinition.fifottl("a").pri(-1), "pri -1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1a", "-a", "a b", "a.b", "ä", "a123456789012345678901234567890123", "a;drop table"})
    void a_name_outside_the_rule_is_refused_with_the_rule(String name) {
        refused(() -> TubeDefinition.fifo(name), "starts with a letter");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "list_of_sites", "mails-2", "A1234567890123456789012345678901"})
    void a_name_inside_the_rule_is_taken(String name) {
        assertThat(TubeDefinition.fifo(name).name()).isEqualTo(name);
    }

    private static void refused(ThrowingCallable call, String part) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(part);
    }
}
