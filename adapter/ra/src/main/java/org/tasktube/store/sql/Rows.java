package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.TubeMode;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.OldestTask;
import org.tasktube.store.RegistryNews;
import org.tasktube.store.TubeCount;

/** Reads rows of the statements' results. */
final class Rows {

    private Rows() {}

    static TaskState state(ResultSet row, int column) throws SQLException {
        return TaskState.of(row.getString(column).charAt(0));
    }

    /** Returns the time until a deadline; empty without one. */
    static Optional<Duration> until(ResultSet row, int column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis)));
    }

    /** Reads the columns of {@code task_columns}. */
    static Task task(String tube, ResultSet row) throws SQLException {
        String utube = row.getString(6);
        return new Task(
                row.getLong(1),
                tube,
                state(row, 2),
                row.getInt(3),
                row.getInt(4),
                row.getLong(5),
                Optional.ofNullable(utube),
                HeadersJson.read(row.getString(9)),
                TaskData.of(row.getString(7), row.getBytes(8)));
    }

    /** Reads the columns of {@code mode_columns}, which begin at a column. */
    static ModeSetting mode(ResultSet row, int column) throws SQLException {
        return new ModeSetting(
                TubeMode.of(row.getString(column).charAt(0)),
                row.getString(column + 1),
                row.getObject(column + 2, OffsetDateTime.class).toInstant(),
                row.getString(column + 3));
    }

    static RegistryNews news(ResultSet row, int column) throws SQLException {
        return new RegistryNews(row.getBoolean(column), row.getString(column + 1));
    }

    static OldestTask oldest(ResultSet row) throws SQLException {
        return new OldestTask(row.getString(1), row.getLong(2), instant(row, 3), instant(row, 4));
    }

    static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    static TubeCount count(ResultSet row) throws SQLException {
        return new TubeCount(row.getInt(1), state(row, 2), row.getLong(3));
    }
}
