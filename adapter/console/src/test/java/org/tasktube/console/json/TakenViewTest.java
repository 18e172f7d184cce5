package org.tasktube.console.json;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TakenViewTest {

    private static final UUID SESSION = UUID.randomUUID();

    private static Task task(long id, TaskData data) {
        return new Task(id, "t", TaskState.TAKEN, 3, 1, 2, Optional.empty(), Map.of("a", "\"b\""), data);
    }

    private static JsonObject written(List<Task> tasks, Optional<UUID> session) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TakenView.write(out, tasks, session);
        try (JsonReader reader = Json.createReader(new ByteArrayInputStream(out.toByteArray()))) {
            return reader.readObject();
        }
    }

    @Test
    void tasks_are_written_with_all_that_a_consumer_needs() throws IOException {
        JsonObject json = written(
                List.of(
                        task(1, TaskData.of("text/x", new byte[] {1, 'a', '"'})),
                        task(Long.MAX_VALUE, TaskData.of("image/x", new byte[] {-1, 0}))),
                Optional.of(SESSION));
        assertThat(json.getString("session")).isEqualTo(SESSION.toString());
        assertThat(Instant.parse(json.getString("now"))).isBeforeOrEqualTo(Instant.now());
        assertThat(json.getJsonArray("tasks").getValuesAs(JsonValue::toString))
                .containsExactly(
                        "{\"id\":\"1\",\"tube\":\"t\",\"pri\":3,\"attempts\":1,\"headers\":{\"a\":\"\\\"b\\\"\"},"
                                + "\"data\":{\"contentType\":\"text/x\",\"text\":\"\\u0001a\\\"\"}}",
                        "{\"id\":\"9223372036854775807\",\"tube\":\"t\",\"pri\":3,\"attempts\":1,\"headers\":"
                                + "{\"a\":\"\\\"b\\\"\"},\"data\":{\"contentType\":\"image/x\",\"base64\":\"/wA=\"}}");
    }

    @Test
    void a_take_without_tasks_has_no_session() throws IOException {
        assertThat(written(List.of(), Optional.empty())).containsOnlyKeys("tasks", "now");
    }

    @Test
    void a_client_that_has_gone_is_a_failure_of_io_and_the_text_has_no_end() {
        StringBuilder text = new StringBuilder();
        IOException gone = new IOException("gone");
        OutputStream client = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                text.append((char) b);
                if (text.length() > 100) {
                    throw gone;
                }
            }

            @Override
            public void close() {
                text.append("closed");
            }
        };
        Task task = task(1, TaskData.of("x".repeat(100_000)));
        assertThatThrownBy(() -> TakenView.write(client, List.of(task), Optional.of(SESSION)))
                .isSameAs(gone);
        assertThat(text).doesNotContain("closed");
    }
}
