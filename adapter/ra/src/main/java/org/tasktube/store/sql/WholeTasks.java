package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.tasktube.Fingerprint;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.Situation;
import org.tasktube.store.StoredTube;
import org.tasktube.store.WholeTask;

/** Reads the rows of {@code whole_task}. */
final class WholeTasks {

    private WholeTasks() {}

    static WholeTask read(StoredTube tube, ResultSet row) throws SQLException {
        ScannedTask scanned = Scans.task(row.getLong("id"), tube.name(), row);
        ScannedTask whole = new ScannedTask(
                scanned.tube(),
                Scans.withFailure(scanned.meta(), failure(row)),
                scanned.place(),
                scanned.node(),
                scanned.contentType(),
                scanned.size());
        return new WholeTask(
                new Situation.Found(whole, Optional.ofNullable(row.getString("server")), false),
                task(scanned.meta(), row),
                result(row),
                Scans.instant(row, "failed_at"));
    }

    private static Task task(TaskMeta meta, ResultSet row) throws SQLException {
        return new Task(
                meta.id(),
                meta.tube(),
                meta.state(),
                meta.pri(),
                meta.attempts(),
                row.getLong("token"),
                meta.utube(),
                HeadersJson.read(row.getString("headers")),
                TaskData.of(row.getString("content_type"), row.getBytes("data")));
    }

    private static Optional<TaskFailure> failure(ResultSet row) throws SQLException {
        String type = row.getString("error_type");
        if (type == null) {
            return Optional.empty();
        }
        String message = Objects.requireNonNullElse(row.getString("error_message"), "");
        String trace = Objects.requireNonNullElse(row.getString("error_trace"), "");
        Long number = row.getObject("failure", Long.class);
        if (number == null) {
            return Optional.of(new TaskFailure(type, message, trace));
        }
        String kind = row.getString("kind_type");
        return Optional.of(new TaskFailure(
                type,
                message,
                trace,
                kind == null
                        ? RestoredKind.of(number, type, message, trace)
                        : new Fingerprint(
                                Fingerprint.hex(number),
                                kind,
                                row.getString("kind_cause"),
                                row.getString("kind_frame"),
                                row.getString("kind_message"))));
    }

    private static Optional<TaskResult> result(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        if (outcome == null) {
            return Optional.empty();
        }
        return Optional.of(new TaskResult(
                outcome.equals("c") ? TaskResult.Outcome.COMPLETED : TaskResult.Outcome.REJECTED,
                TaskData.of(row.getString("result_type"), row.getBytes("result")),
                Duration.ofMillis(row.getLong("result_ttl_ms"))));
    }
}
