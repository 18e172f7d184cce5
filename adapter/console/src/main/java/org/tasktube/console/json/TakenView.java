package org.tasktube.console.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskData;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The tasks of a take. A member without a value is absent.
 *
 * @param tasks the tasks, in the order of take
 * @param session the session that holds them; null if there are none
 * @param now the time of the server
 */
public record TakenView(List<Taken> tasks, UUID session, Instant now) {

    /** Returns the view of tasks that a session holds. */
    public static TakenView of(List<Task> tasks, UUID session) {
        return new TakenView(tasks.stream().map(Taken::of).toList(), session, Instant.now());
    }

    /** A task with all its data. */
    public record Taken(String id, String tube, int pri, int attempts, Map<String, String> headers, Data data) {

        static Taken of(Task task) {
            return new Taken(
                    Long.toString(task.id()),
                    task.tube(),
                    task.pri(),
                    task.attempts(),
                    task.headers(),
                    Data.of(task.data()));
        }
    }

    /**
     * Data, whole.
     *
     * @param contentType the content type
     * @param text the data as text; null if it is not UTF-8
     * @param base64 the data in base64; null if it is text
     */
    public record Data(String contentType, String text, String base64) {

        static Data of(TaskData data) {
            try {
                String text =
                        UTF_8.newDecoder().decode(ByteBuffer.wrap(data.bytes())).toString();
                return new Data(data.contentType(), text, null);
            } catch (CharacterCodingException e) {
                return new Data(data.contentType(), null, Base64.getEncoder().encodeToString(data.bytes()));
            }
        }
    }
}
