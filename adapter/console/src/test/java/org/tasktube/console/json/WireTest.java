package org.tasktube.console.json;

import jakarta.json.bind.JsonbBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The server's JSON-B writes the records as the pages read them. */
class WireTest {

    @Test
    void times_durations_and_ids_are_text_and_absent_values_are_left_out() {
        TaskRow row = new TaskRow(
                Long.toString(Long.MAX_VALUE),
                "orders",
                "READY",
                0,
                null,
                null,
                1,
                1,
                0,
                Instant.parse("2026-11-22T10:00:00Z"),
                null,
                null,
                Duration.ofMinutes(1),
                null,
                null,
                null,
                null,
                "text/plain",
                3,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
        assertThat(JsonbBuilder.create().toJson(new Views.Page(List.of(row), 1, null, null)))
                .contains("\"id\":\"9223372036854775807\"", "\"created\":\"2026-11-22T10:00:00Z\"", "\"ttl\":\"PT1M\"")
                .contains("\"looked\":1")
                .doesNotContain("utube", "next", "null");
    }
}
