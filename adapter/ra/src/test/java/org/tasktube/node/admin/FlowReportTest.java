package org.tasktube.node.admin;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.admin.Flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FlowReportTest {

    @Test
    void the_time_is_rounded_up_to_whole_buckets() {
        assertThat(FlowReport.buckets(Duration.ofMinutes(5))).isEqualTo(1);
        assertThat(FlowReport.buckets(Duration.ofMinutes(5).plusNanos(1))).isEqualTo(2);
        assertThat(FlowReport.buckets(Flow.MAX_BACK)).isEqualTo(288);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT4M", "PT25H", "PT-5M"})
    void the_time_has_its_bounds(Duration wrong) {
        assertThatThrownBy(() -> FlowReport.buckets(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not from 5m to 1d");
    }
}
