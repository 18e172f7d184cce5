package org.tasktube.console.rest;

import jakarta.json.bind.JsonbBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.admin.Flow;
import org.tasktube.admin.TubeFlow;
import org.tasktube.console.json.FlowRows;
import org.tasktube.console.problem.ProblemException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FlowResourceTest {

    @Test
    void the_time_is_iso_8601_or_a_number_with_a_unit_and_a_day_if_it_is_not_said() {
        assertThat(FlowResource.back(null)).isEqualTo(Duration.ofHours(24));
        assertThat(FlowResource.back("PT1H")).isEqualTo(Duration.ofHours(1));
        assertThat(FlowResource.back("5m")).isEqualTo(Duration.ofMinutes(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "PT4M59S", "PT24H0.001S", "-PT1H", "9999999999999999d", "P99999999999999D"})
    void another_time_is_a_problem_that_names_the_bounds(String wrong) {
        assertThatThrownBy(() -> FlowResource.back(wrong))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("from PT5M to PT24H");
    }

    @Test
    void an_answer_has_the_names_of_the_contract() {
        TubeFlow orders = new TubeFlow("orders", List.of(3L), List.of(2L), List.of(1L));
        Flow flow = new Flow(
                Instant.parse("2026-11-22T10:00:00Z"),
                Flow.BUCKET,
                List.of(orders),
                0,
                Instant.parse("2026-11-22T10:05:01Z"));
        assertThat(JsonbBuilder.create().toJson(FlowRows.of(flow)))
                .contains(
                        "\"bucket\":\"PT5M\"", "\"from\":\"2026-11-22T10:00:00Z\"", "\"now\":\"2026-11-22T10:05:01Z\"")
                .contains("\"failed\":[1],\"in\":[3],\"name\":\"orders\",\"out\":[2]", "\"omitted\":0");
    }
}
