package org.tasktube.console.json;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.stream.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskData;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The tasks of a take as JSON. They are written one after the other: JSON can have six bytes per byte of data, so no
 * more than the text of one task is in memory.
 */
public final class TakenView {

    private TakenView() {}

    /**
     * Writes tasks in the order of take, with all their data, and closes the stream. If that fails, the text is no
     * JSON.
     *
     * @param session the session that holds the tasks; empty if there are none
     */
    public static void write(OutputStream out, List<Task> tasks, Optional<UUID> session) throws IOException {
        try {
            write(Json.createGenerator(out), tasks, session);
        } catch (JsonException e) {
            if (e.getCause() instanceof IOException failed) {
                throw failed;
            }
            throw e;
        }
    }

    /** Does not close the stream after a failure, because its end would look like that of an answer. */
    private static void write(JsonGenerator json, List<Task> tasks, Optional<UUID> session) {
        json.writeStartObject().writeStartArray("tasks");
        tasks.forEach(task -> write(json, task));
        json.writeEnd();
        session.ifPresent(id -> json.write("session", id.toString()));
        json.write("now", Instant.now().toString()).writeEnd();
        json.close();
    }

    private static void write(JsonGenerator json, Task task) {
        json.writeStartObject()
                .write("id", Long.toString(task.id()))
                .write("tube", task.tube())
                .write("pri", task.pri())
                .write("attempts", task.attempts())
                .writeStartObject("headers");
        task.headers().forEach(json::write);
        json.writeEnd();
        write(json, task.data());
        json.writeEnd();
    }

    /** Writes data as text, or in base64 if it is not UTF-8. */
    private static void write(JsonGenerator json, TaskData data) {
        json.writeStartObject("data").write("contentType", data.contentType());
        byte[] bytes = data.bytes();
        try {
            json.write("text", UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException e) {
            json.write("base64", Base64.getEncoder().encodeToString(bytes));
        }
        json.writeEnd();
    }
}
