package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tasktube.FailureGroup;
import org.tasktube.Fingerprint;
import org.tasktube.TaskState;
import org.tasktube.store.FailedTasks;

/** Reads how many tasks have failed, by the kinds of their failures. */
record FailureGroups(Jdbc jdbc, Dialect dialect) {

    private static final Pattern SPACE = Pattern.compile(" ");

    /** A row of the statement: the tasks of one kind, state and tube, and the row of the kind if it exists. */
    private record Part(FailedTasks tasks, Optional<Fingerprint> kind, Instant first) {}

    List<FailureGroup> largest(int most, Collection<Fingerprint> also) {
        Statements sql = dialect.statements();
        return jdbc.reading("count failed tasks", dialect::beginReading, connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            Map<Long, List<Part>> parts = new LinkedHashMap<>();
            on.list(
                    sql.get("failure_groups"),
                    row -> parts.computeIfAbsent(row.getLong(1), kind -> new ArrayList<>())
                            .add(part(row)),
                    Parameters.of(
                            "max",
                            most,
                            "kinds",
                            also.stream().map(Fingerprint::number).toList()));
            List<FailureGroup> groups = new ArrayList<>();
            for (Map.Entry<Long, List<Part>> kind : parts.entrySet()) {
                group(on, sql, kind.getKey(), kind.getValue()).ifPresent(groups::add);
            }
            return groups;
        });
    }

    private static Part part(ResultSet row) throws SQLException {
        TaskState state = Rows.state(row, 2);
        Instant last = Rows.instant(row, 5);
        FailedTasks tasks = new FailedTasks(
                row.getString(3), state, row.getLong(4), last, row.getLong(6), trend(row.getString(12)));
        String type = row.getString(7);
        return type == null
                ? new Part(tasks, Optional.empty(), last)
                : new Part(
                        tasks,
                        Optional.of(new Fingerprint(
                                Fingerprint.hex(row.getLong(1)),
                                type,
                                row.getString(8),
                                row.getString(9),
                                row.getString(10))),
                        Rows.instant(row, 11));
    }

    /** Reads words like {@code 3:17}: 17 tasks whose failures are 3 whole hours old. */
    private static List<Long> trend(String words) {
        return FailedTasks.trend(SPACE.splitAsStream(words)
                .map(word -> word.split(":", 2))
                .collect(Collectors.toMap(word -> Integer.valueOf(word[0]), word -> Long.valueOf(word[1]), Long::sum)));
    }

    /** Returns a group; empty if its tasks have just gone, with the row of their kind. */
    private static Optional<FailureGroup> group(SqlConnection on, Statements sql, long number, List<Part> parts)
            throws SQLException {
        List<FailedTasks> tasks = parts.stream().map(Part::tasks).toList();
        Part one = parts.get(0);
        if (one.kind.isPresent()) {
            return Optional.of(FailedTasks.group(one.kind.get(), one.first, tasks));
        }
        return FailureKinds.ofTask(on, sql, number)
                .map(restored ->
                        FailedTasks.group(restored.kind(), restored.first().toInstant(), tasks));
    }
}
