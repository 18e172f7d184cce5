package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Fingerprint;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Scan;
import org.tasktube.store.ScanResult;
import org.tasktube.store.ScannedTask;

/** Reads ranges of tasks for searches, without their data. A range of unbounded length has a limit of time. */
record Scans(Jdbc jdbc, Dialect dialect) {

    /** The maximum time per range. A look must not hurt the work. */
    static final int SECONDS = 5;

    private record Read(long id, Optional<ScannedTask> wanted) {}

    ScanResult scan(Scan scan, Map<Integer, String> names) {
        List<Read> read =
                jdbc.reading("search tasks", dialect::beginReading, on -> read(on.within(SECONDS), scan, names));
        return new ScanResult(
                read.stream().flatMap(task -> task.wanted.stream()).toList(),
                read.size(),
                read.isEmpty() ? 0 : read.get(read.size() - 1).id);
    }

    private List<Read> read(SqlConnection on, Scan scan, Map<Integer, String> names) throws SQLException {
        Parameters parameters = parameters(scan);
        if (scan instanceof Scan.Newest newest) {
            parameters = parameters.and("from", dialect.idsFrom(on, newest.beforeId(), newest.max()));
        }
        return on.list(sql(scan), row -> read(row, names), parameters);
    }

    private NamedStatement sql(Scan scan) {
        Statements statements = dialect.statements();
        if (scan instanceof Scan.Ids) {
            return statements.get("scan_ids");
        } else if (scan instanceof Scan.Keys) {
            return statements.get("scan_keys");
        } else if (scan instanceof Scan.Newest) {
            return statements.get("scan_newest");
        } else if (scan instanceof Scan.OfKind) {
            return statements.get("scan_of_kind");
        } else if (scan instanceof Scan.Blocked) {
            return statements.get("scan_blocked");
        }
        return statements.get(((Scan.InOrder) scan).state() == TaskState.READY ? "scan_ready" : "scan_in_state");
    }

    private static Parameters parameters(Scan scan) {
        if (scan instanceof Scan.Ids ids) {
            return Parameters.of("ids", ids.ids());
        } else if (scan instanceof Scan.Keys keys) {
            return Parameters.of("tube", keys.tube().id(), "keys", keys.keys());
        } else if (scan instanceof Scan.Newest newest) {
            return Parameters.of("before", newest.beforeId(), "max", newest.max());
        } else if (scan instanceof Scan.OfKind kind) {
            return Parameters.of(
                    "failure", kind.failure(), "state", kind.state(), "after", kind.afterId(), "max", kind.max());
        } else if (scan instanceof Scan.Blocked blocked) {
            return Parameters.of("utube", blocked.utube())
                    .and(Parameters.after(blocked.tube().id(), blocked.after(), blocked.max()));
        }
        Scan.InOrder inOrder = (Scan.InOrder) scan;
        return Parameters.of("state", inOrder.state())
                .and(Parameters.after(inOrder.tube().id(), inOrder.after(), inOrder.max()));
    }

    private static Read read(ResultSet row, Map<Integer, String> names) throws SQLException {
        String tube = names.get(row.getInt("tube_id"));
        long id = row.getLong("id");
        return new Read(id, tube == null ? Optional.empty() : Optional.of(task(id, tube, row)));
    }

    /** Reads the columns of {@code scan_columns}. */
    static ScannedTask task(long id, String tube, ResultSet row) throws SQLException {
        return new ScannedTask(
                row.getInt("tube_id"),
                meta(id, tube, row),
                new OrderKey(row.getInt("pri"), row.getLong("ord"), id),
                row.getInt("node"),
                row.getString("content_type"),
                row.getLong("size"));
    }

    private static TaskMeta meta(long id, String tube, ResultSet row) throws SQLException {
        Instant created = instant(row, "created_at").orElseThrow();
        return new TaskMeta(
                id,
                tube,
                TaskState.of(row.getString("state").charAt(0)),
                instant(row, "event_at"),
                row.getInt("pri"),
                Optional.ofNullable(row.getString("utube")),
                Optional.ofNullable(row.getString("live_key")),
                Optional.ofNullable(row.getObject("session", UUID.class)),
                instant(row, "taken_at"),
                created,
                instant(row, "expires_at").map(end -> Duration.between(created, end)),
                Optional.ofNullable(row.getObject("ttr_ms", Long.class)).map(Duration::ofMillis),
                row.getInt("buried_count"),
                row.getInt("taken_count"),
                row.getInt("attempts"),
                failure(row),
                instant(row, "read_at").orElseThrow());
    }

    private static Optional<TaskFailure> failure(ResultSet row) throws SQLException {
        String type = row.getString("error_type");
        if (type == null) {
            return Optional.empty();
        }
        String message = Objects.requireNonNullElse(row.getString("error_message"), "");
        Long kind = row.getObject("failure", Long.class);
        if (kind == null) {
            return Optional.of(new TaskFailure(type, message, ""));
        }
        String cause = row.getString("cause");
        return Optional.of(new TaskFailure(
                type,
                message,
                "",
                cause == null || cause.isEmpty()
                        ? RestoredKind.of(kind, type, message, "")
                        : new Fingerprint(Fingerprint.hex(kind), type, cause, "", "")));
    }

    private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }
}
