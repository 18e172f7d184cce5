package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.tasktube.PutOptions;
import org.tasktube.Schedule;
import org.tasktube.StoreException;
import org.tasktube.TaskData;
import org.tasktube.TaskOrder;
import org.tasktube.admin.ScheduleStatus;
import org.tasktube.admin.ScheduleStatus.Pause;
import org.tasktube.admin.ScheduleStatus.Skip;
import org.tasktube.admin.ScheduleStatus.SkipReason;
import org.tasktube.store.StoredSchedule;

/**
 * The rows of schedules. Each method is part of the caller's transaction if it has one. If the store fails, a method throws
 * {@link org.tasktube.StoreException}.
 */
public record Schedules(Jdbc jdbc, Dialect dialect) {

    private static final String UNIQUE_VIOLATION = "23505";

    /**
     * Adds a schedule, or changes that of its name. Returns whether it was new or another one.
     *
     * @param first gives the time of the next fire if that changes, from the present time
     */
    public boolean put(Schedule schedule, UnaryOperator<Instant> first) {
        return jdbc.atomic("keep a schedule", on -> {
            Instant now = on.first(sql("now"), row -> Rows.instant(row, 1), Parameters.NONE)
                    .orElseThrow();
            Parameters all = parameters(schedule).and("next", at(first.apply(now)));
            return add(on, all) || on.update(sql("change_schedule"), all) > 0;
        });
    }

    private boolean add(SqlConnection on, Parameters all) throws SQLException {
        try {
            return on.update(sql("add_schedule"), all) > 0;
        } catch (SQLException e) {
            // In H2 another transaction has added it since the look. PostgreSQL sees that by itself
            if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
                throw e;
            }
            return false;
        }
    }

    private static Parameters parameters(Schedule schedule) {
        PutOptions options = schedule.options();
        return Parameters.of(
                "name", schedule.name(),
                "digest", digest(schedule),
                "cron", schedule.cron().orElse(null),
                "zone", schedule.zone().getId(),
                "period", Parameters.millis(schedule.period()),
                "tube", schedule.tube(),
                "pri", options.pri().isPresent() ? options.pri().getAsInt() : null,
                "ttl", Parameters.millis(options.ttl()),
                "ttr", Parameters.millis(options.ttr()),
                "delay", Parameters.millis(options.delay()),
                "utube", options.utube().orElse(null),
                "urgent", options.urgent(),
                "headers", HeadersJson.write(options.headers()),
                "content_type", schedule.data().contentType(),
                "data", schedule.data().bytes(),
                "overlap", schedule.overlap(),
                "late", Parameters.millis(schedule.skipIfLateBy()));
    }

    /** Returns the same for equal schedules only: each text has its length before it, and headers have an order. */
    private static String digest(Schedule schedule) {
        PutOptions options = schedule.options();
        StringBuilder all = new StringBuilder();
        Stream.of(
                        schedule.cron(),
                        schedule.zone(),
                        schedule.period(),
                        schedule.tube(),
                        schedule.data().contentType(),
                        schedule.data().digest(),
                        schedule.overlap(),
                        schedule.skipIfLateBy(),
                        options.pri(),
                        options.ttl(),
                        options.ttr(),
                        options.delay(),
                        options.utube(),
                        options.urgent())
                .forEach(part -> add(all, part));
        new TreeMap<>(options.headers()).forEach((name, value) -> {
            add(all, name);
            add(all, value);
        });
        return TaskData.of(all.toString()).digest();
    }

    private static void add(StringBuilder all, Object part) {
        String text = part.toString();
        all.append(text.length()).append(':').append(text);
    }

    /** Removes a schedule. Returns whether there was one. */
    public boolean remove(String name) {
        return jdbc.single("remove a schedule", on -> on.update(sql("remove_schedule"), Parameters.of("name", name)))
                > 0;
    }

    /** Returns all schedules, by their names. */
    public List<StoredSchedule> all() {
        return jdbc.reading("read the schedules", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .list(sql("schedules"), Schedules::schedule, Parameters.NONE));
    }

    /** Returns a schedule; empty if there is none of that name. */
    public Optional<StoredSchedule> find(String name) {
        return jdbc.glance(
                "read a schedule", on -> on.first(sql("schedule"), Schedules::schedule, Parameters.of("name", name)));
    }

    /** Returns the time until the next fire; empty without one. */
    public Optional<Duration> untilNext() {
        return jdbc.glance(
                "find the next fire",
                on -> on.first(
                        sql("next_fire"),
                        row -> Duration.between(Rows.instant(row, 2), Rows.instant(row, 1)),
                        Parameters.NONE));
    }

    /**
     * Locks schedules that are due, the ones due first, until the end of the transaction. Skips those that others have.
     * One that this server cannot read comes behind the others.
     */
    public List<StoredSchedule> lockDue(int max) {
        return jdbc.atomic("lock the schedules that are due", on -> {
            List<String> unreadable = new ArrayList<>();
            List<Optional<StoredSchedule>> due =
                    on.list(sql("lock_due_schedules"), row -> readable(row, unreadable), Parameters.of("max", max));
            for (String name : unreadable) {
                on.update(sql("postpone_schedule"), Parameters.of("name", name));
            }
            return due.stream().flatMap(Optional::stream).toList();
        });
    }

    private static Optional<StoredSchedule> readable(ResultSet row, List<String> unreadable) throws SQLException {
        try {
            return Optional.of(schedule(row));
        } catch (StoreException | IllegalArgumentException e) {
            Log.LOG.scheduleUnreadable(row.getString(1), e.getMessage());
            unreadable.add(row.getString(1));
            return Optional.empty();
        }
    }

    /** Writes that a fire has put a task. */
    public void fired(String name, Instant fire, Instant next, long task) {
        jdbc.single(
                "write the fire of a schedule",
                on -> on.update(
                        sql("schedule_fired"),
                        Parameters.of("name", name, "fire", at(fire), "next", at(next), "task", task)));
    }

    /** Writes that a fire has put none. */
    public void skipped(String name, Skip skip, Instant next) {
        jdbc.single(
                "write the skip of a schedule",
                on -> on.update(
                        sql("schedule_skipped"),
                        Parameters.of(
                                "name",
                                name,
                                "fire",
                                at(skip.at()),
                                "next",
                                at(next),
                                "reason",
                                skip.reason().name())));
    }

    /** Has a schedule whose fire failed come behind the others. */
    public void postpone(String name) {
        jdbc.single("postpone a schedule", on -> on.update(sql("postpone_schedule"), Parameters.of("name", name)));
    }

    /** Pauses a schedule. Returns whether there is one. */
    public boolean pause(String name, String by, String reason) {
        return jdbc.single(
                        "pause a schedule",
                        on -> on.update(
                                sql("pause_schedule"), Parameters.of("name", name, "who", by, "reason", reason)))
                > 0;
    }

    /** Lets a schedule go on, if it is paused. */
    public void resume(String name, Instant next) {
        jdbc.single(
                "resume a schedule",
                on -> on.update(sql("resume_schedule"), Parameters.of("name", name, "next", at(next))));
    }

    private static OffsetDateTime at(Instant time) {
        return time.atOffset(ZoneOffset.UTC);
    }

    private static StoredSchedule schedule(ResultSet row) throws SQLException {
        Schedule schedule = new Schedule(
                row.getString(1),
                Optional.ofNullable(row.getString(2)),
                zone(row.getString(1), row.getString(3)),
                millis(row, 4),
                row.getString(5),
                TaskData.of(row.getString(13), row.getBytes(14)),
                options(row),
                row.getBoolean(15),
                millis(row, 16));
        Optional<Instant> skipAt = instant(row, 23);
        Optional<Instant> pausedAt = instant(row, 25);
        String skipReason = row.getString(22);
        Optional<Skip> skip = skipAt.map(at -> new Skip(SkipReason.valueOf(skipReason), at));
        String pausedBy = row.getString(24);
        String pausedWhy = row.getString(26);
        long lastTask = row.getLong(19);
        return new StoredSchedule(
                new ScheduleStatus(
                        schedule,
                        Rows.instant(row, 17),
                        List.of(),
                        instant(row, 18),
                        lastTask == 0 ? OptionalLong.empty() : OptionalLong.of(lastTask),
                        row.getLong(20),
                        row.getLong(21),
                        skip,
                        pausedAt.map(at -> new Pause(pausedBy, at, pausedWhy))),
                Rows.instant(row, 27));
    }

    private static ZoneId zone(String schedule, String zone) {
        try {
            return ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw new StoreException(
                    "schedule '" + schedule + "' has the time zone '" + zone
                            + "', which this server's Java does not know;"
                            + " update its time zones, or make the schedule anew",
                    e);
        }
    }

    private static PutOptions options(ResultSet row) throws SQLException {
        int pri = row.getInt(6);
        boolean hasPri = !row.wasNull();
        return new PutOptions(
                hasPri ? OptionalInt.of(pri) : OptionalInt.empty(),
                millis(row, 7),
                millis(row, 8),
                millis(row, 9),
                Optional.ofNullable(row.getString(10)),
                row.getBoolean(11),
                HeadersJson.read(row.getString(12)),
                Optional.empty(),
                TaskOrder.NONE);
    }

    private static Optional<Duration> millis(ResultSet row, int column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    private static Optional<Instant> instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column) == null ? Optional.empty() : Optional.of(Rows.instant(row, column));
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
