package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.tasktube.Fingerprint;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Scan;
import org.tasktube.store.ScanResult;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;

/** Reads ranges of tasks for searches, without their data. A range of unbounded length has a limit of time. */
record Scans(Jdbc jdbc, Dialect dialect) {

    /** The maximum time per range. A look must not hurt the work. */
    static final int SECONDS = 5;

    private record Read(OrderKey place, Optional<ScannedTask> wanted) {}

    ScanResult scan(Scan scan, Map<Integer, String> names) {
        List<Read> read =
                jdbc.reading("search tasks", dialect::beginReading, on -> read(on.within(SECONDS), scan, names));
        return new ScanResult(
                read.stream().flatMap(task -> task.wanted.stream()).toList(),
                read.size(),
                read.isEmpty() ? OrderKey.START : read.get(read.size() - 1).place);
    }

    private List<Read> read(SqlConnection on, Scan scan, Map<Integer, String> names) throws SQLException {
        Parameters parameters = parameters(scan);
        if (scan instanceof Scan.Newest newest) {
            parameters = parameters.and("from", dialect.idsFrom(on, newest.beforeId(), newest.max()));
        }
        List<Read> read = on.list(sql(scan), row -> read(row, names, scan), parameters);
        return withKinds(on, read);
    }

    /** Reads the kinds of the failures, each once: a task's own row does not have the root cause. */
    private List<Read> withKinds(SqlConnection on, List<Read> read) throws SQLException {
        Set<Long> numbers = read.stream()
                .flatMap(task -> task.wanted.stream())
                .flatMap(task -> task.meta().lastFailure().stream())
                .map(failure -> failure.fingerprint().number())
                .collect(Collectors.toSet());
        if (numbers.isEmpty()) {
            return read;
        }
        Map<Long, Fingerprint> kinds = new HashMap<>();
        on.list(
                dialect.statements().get("kinds"),
                row -> kinds.put(
                        row.getLong(1),
                        new Fingerprint(
                                Fingerprint.hex(row.getLong(1)),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5))),
                Parameters.of("ids", List.copyOf(numbers)));
        return read.stream()
                .map(task -> new Read(task.place, task.wanted.map(found -> withKind(found, kinds))))
                .toList();
    }

    private static ScannedTask withKind(ScannedTask task, Map<Long, Fingerprint> kinds) {
        Optional<TaskFailure> failure = task.meta().lastFailure();
        Fingerprint kind =
                failure.map(last -> kinds.get(last.fingerprint().number())).orElse(null);
        if (kind == null) {
            return task;
        }
        String type = failure.get().type();
        // Before tables of version 15, a row had the class of the root cause as its type
        Fingerprint known = kind.cause().isEmpty() && !kind.type().equals(type)
                ? new Fingerprint(kind.id(), type, kind.type(), kind.frame(), kind.message())
                : kind;
        TaskFailure whole =
                new TaskFailure(type, failure.get().message(), failure.get().trace(), known);
        return new ScannedTask(
                task.tube(),
                withFailure(task.meta(), Optional.of(whole)),
                task.place(),
                task.node(),
                task.contentType(),
                task.size());
    }

    /** Returns the properties of a task with another last failure. */
    static TaskMeta withFailure(TaskMeta meta, Optional<TaskFailure> failure) {
        return new TaskMeta(
                meta.id(),
                meta.tube(),
                meta.state(),
                meta.event(),
                meta.pri(),
                meta.utube(),
                meta.uniqueKey(),
                meta.session(),
                meta.takenAt(),
                meta.created(),
                meta.ttl(),
                meta.ttr(),
                meta.buriedCount(),
                meta.takenCount(),
                meta.attempts(),
                failure,
                meta.now());
    }

    private NamedStatement sql(Scan scan) {
        Statements statements = dialect.statements();
        if (scan instanceof Scan.Ids) {
            return statements.get("scan_ids");
        } else if (scan instanceof Scan.Keys) {
            return statements.get("scan_keys");
        } else if (scan instanceof Scan.Newest) {
            return statements.get("scan_newest");
        } else if (scan instanceof Scan.Indexed) {
            return statements.get("scan_indexed");
        } else if (scan instanceof Scan.OfKind) {
            return statements.get("scan_of_kind");
        } else if (scan instanceof Scan.Failed) {
            return statements.get("scan_failed");
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
        } else if (scan instanceof Scan.Indexed indexed) {
            StoredTube tube = indexed.tube();
            return Parameters.of("tube", tube.id(), "index", tube.index().id(), "hash", indexed.hash())
                    .and("before", indexed.beforeId(), "max", indexed.max());
        } else if (scan instanceof Scan.OfKind kind) {
            return Parameters.of(
                    "failure", kind.failure(), "state", kind.state(), "after", kind.afterId(), "max", kind.max());
        } else if (scan instanceof Scan.Failed failed) {
            return Parameters.of(
                    "failure", failed.after().ord(),
                    "state", String.valueOf((char) failed.after().pri()),
                    "after", failed.after().id(),
                    "max", failed.max());
        } else if (scan instanceof Scan.Blocked blocked) {
            return Parameters.of("utube", blocked.utube())
                    .and(Parameters.after(blocked.tube().id(), blocked.after(), blocked.max()));
        }
        Scan.InOrder inOrder = (Scan.InOrder) scan;
        return Parameters.of("state", inOrder.state())
                .and(Parameters.after(inOrder.tube().id(), inOrder.after(), inOrder.max()));
    }

    private static Read read(ResultSet row, Map<Integer, String> names, Scan scan) throws SQLException {
        // An index may have a task that is gone, for which all columns are null
        String tube = names.get(row.getInt("tube_id"));
        long id = row.getLong(scan instanceof Scan.Indexed ? "place" : "id");
        OrderKey place = scan instanceof Scan.Failed
                ? new OrderKey(row.getString("state").charAt(0), row.getLong("failure"), id)
                : new OrderKey(0, 0, id);
        return new Read(place, tube == null ? Optional.empty() : Optional.of(task(id, tube, row)));
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
        return Optional.of(
                kind == null
                        ? new TaskFailure(type, message, "")
                        : new TaskFailure(type, message, "", RestoredKind.of(kind, type, message, "")));
    }

    static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }
}
