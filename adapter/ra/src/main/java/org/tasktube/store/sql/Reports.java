package org.tasktube.store.sql;

import jakarta.persistence.TypedQuery;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.store.OldestTask;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.Situation;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TubeCount;
import org.tasktube.store.WholeTask;

/**
 * Reads of the present state, for those who operate TaskTube. They lock nothing, and read a bounded number of tasks by
 * an index. In a transaction of the caller they are part of it.
 *
 * <p>If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public record Reports(Jdbc jdbc, Dialect dialect, Entities entities) {

    /** The most TAKEN tasks per tube that {@link #oldestReady} reads. */
    public static final int MOST_TAKEN = 200;

    /**
     * Returns what the store knows of the reasons why a task waits; empty if the tube does not have the task.
     *
     * @param most the most tasks before it, and the most TAKEN tasks of the tube, to read
     */
    public Optional<Situation> situation(StoredTube tube, long id, int most) {
        return jdbc.reading("read the situation of a task", dialect::beginReading, connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            Optional<Row> row =
                    on.first(sql("situation"), read -> Row.of(tube, read), Parameters.of("tube", tube.id(), "id", id));
            return row.isPresent() ? Optional.of(situation(on, tube, row.get(), most)) : Optional.empty();
        });
    }

    /** Returns all tubes, by name. */
    public List<StoredTube> tubes() {
        return entities
                .reading(dialect, em -> {
                    TypedQuery<TubeEntity> tubes =
                            em.createQuery("SELECT t FROM Tube t ORDER BY t.name", TubeEntity.class);
                    if (dialect.limitsTime()) {
                        tubes.setHint("jakarta.persistence.query.timeout", Scans.SECONDS * 1_000);
                    }
                    return tubes.getResultList();
                })
                .stream()
                .map(TubeEntity::toStored)
                .toList();
    }

    /** Returns the names of the servers by their numbers. */
    public Map<Integer, String> servers() {
        Map<Integer, String> names = new HashMap<>();
        jdbc.reading("read the servers", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .list(sql("server_names"), row -> names.put(row.getInt(1), row.getString(2)), Parameters.NONE));
        return names;
    }

    /** Returns all of a task; empty if the tube does not have it. */
    public Optional<WholeTask> whole(StoredTube tube, long id) {
        return jdbc.reading("read a task", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .first(
                        sql("whole_task"),
                        row -> WholeTasks.read(tube, row),
                        Parameters.of("tube", tube.id(), "id", id)));
    }

    /** Returns the tasks of these ids that the tube has, with their data. */
    public List<Task> tasks(StoredTube tube, Collection<Long> ids) {
        return jdbc.reading("read tasks", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .list(sql("tasks"), row -> Rows.task(tube.name(), row), Parameters.of("tube", tube.id(), "ids", ids)));
    }

    /**
     * Returns the number of tasks of each tube that has some in a state.
     *
     * @param most the number of tasks at which the count ends, of all tubes together. READY tasks that are blocked in
     *     their sub-queues have a count of their own with this bound
     */
    public List<TubeCount> counts(Collection<StoredTube> tubes, TaskState state, int most) {
        Parameters of =
                Parameters.of("tubes", tubes.stream().map(StoredTube::id).toList(), "state", state, "max", most);
        return jdbc.reading("count tasks of tubes", dialect::beginReading, connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            if (state != TaskState.READY) {
                return on.list(sql("count_in_state"), Rows::count, of);
            }
            List<TubeCount> counts = new ArrayList<>(on.list(sql("count_ready"), Rows::count, of));
            counts.addAll(on.list(sql("count_blocked"), Rows::count, of));
            return counts;
        });
    }

    /** Returns the first bytes of the data of these tasks, at most so many of each, by their ids. */
    public Map<Long, TaskData> beginnings(Collection<Long> ids, int bytes) {
        Map<Long, TaskData> beginnings = new HashMap<>();
        jdbc.reading("read the beginnings of data", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .list(
                        sql("beginnings"),
                        row -> beginnings.put(row.getLong(1), TaskData.of(row.getString(2), row.getBytes(3))),
                        Parameters.of("ids", ids, "bytes", bytes)));
        return beginnings;
    }

    /** Returns the greatest id of a task; 0 if there is none. */
    public long lastId() {
        return jdbc.reading("read the greatest id", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .first(sql("last_id"), row -> row.getLong(1), Parameters.NONE)
                .orElse(0L));
    }

    /** The columns of {@code situation_columns}. */
    private record Row(Situation.Found found, boolean isBlocked, boolean holds, boolean isOver) {

        static Row of(StoredTube tube, ResultSet row) throws SQLException {
            ScannedTask task = Scans.task(row.getLong("id"), tube.name(), row);
            return new Row(
                    new Situation.Found(
                            task, Optional.ofNullable(row.getString("server")), row.getBoolean("is_locked")),
                    row.getBoolean("is_blocked"),
                    row.getBoolean("holds"),
                    row.getBoolean("is_over"));
        }

        ScannedTask task() {
            return found.task();
        }
    }

    private Situation situation(SqlConnection on, StoredTube tube, Row row, int most) throws SQLException {
        Parameters of = Parameters.of(
                "tube", tube.id(),
                "utube", row.task().meta().utube().orElse(""),
                "pri", row.task().place().pri(),
                "ord", row.task().place().ord(),
                "id", row.task().place().id(),
                "max", most);
        boolean isReady = row.task().meta().state() == TaskState.READY;
        return new Situation(
                row.found,
                row.isBlocked,
                row.holds,
                row.isOver,
                row.found.isLocked() ? on.first(sql("locker"), Reports::locker, of) : Optional.empty(),
                on.first(sql("mode"), read -> Rows.mode(read, 1), of),
                isReady ? before(on, row, of) : List.of(),
                row.isBlocked ? head(on, tube, of) : Optional.empty(),
                isReady && tube.isLimited()
                        ? used(on, List.of(tube)).getOrDefault(tube.id(), Situation.Used.NONE)
                        : Situation.Used.NONE,
                isReady ? holders(on, of) : Set.of());
    }

    /** Returns what is used of the limits of these tubes, whose tasks are all in the table of this store, by their ids. */
    public Map<Integer, Situation.Used> used(Collection<StoredTube> tubes) {
        return jdbc.reading(
                "read what limits of tubes are used",
                dialect::beginReading,
                on -> used(on.within(Scans.SECONDS), tubes));
    }

    private Map<Integer, Situation.Used> used(SqlConnection on, Collection<StoredTube> tubes) throws SQLException {
        Map<Integer, Situation.Used> used = new HashMap<>();
        on.list(
                sql("seats_in_use"),
                row -> used.merge(
                        row.getInt(1),
                        Seats.isOfTaken(row.getString(2))
                                ? new Situation.Used(row.getInt(3), 0)
                                : new Situation.Used(0, row.getInt(3)),
                        (one, other) -> new Situation.Used(one.taken() + other.taken(), one.takes() + other.takes())),
                Parameters.of("tubes", tubes.stream().map(StoredTube::id).toList()));
        return used;
    }

    private static Situation.Locker locker(ResultSet row) throws SQLException {
        return new Situation.Locker(
                row.getInt(1), Optional.ofNullable(row.getString(2)), Rows.instant(row, 3), row.getBoolean(4));
    }

    private List<Long> before(SqlConnection on, Row row, Parameters of) throws SQLException {
        return on.list(sql(row.isBlocked ? "blocked_before" : "ready_before"), read -> read.getLong(1), of);
    }

    private Optional<Situation.Found> head(SqlConnection on, StoredTube tube, Parameters of) throws SQLException {
        return on.first(sql("head_of_sub_queue"), read -> Row.of(tube, read), of)
                .map(Row::found);
    }

    private Set<Integer> holders(SqlConnection on, Parameters of) throws SQLException {
        return new HashSet<>(on.list(sql("holders"), read -> read.getInt(1), of));
    }

    /**
     * Returns the task with the earliest put among the first READY tasks of each priority, for each tube that has one.
     * Of the tasks that are blocked in their sub-queues, those count that are next to a TAKEN one, of which the first
     * {@value #MOST_TAKEN} per tube are read. Tasks whose ttl is over do not count.
     *
     * @param priorities the most priorities per tube to read, the smallest first
     */
    public List<OldestTask> oldestReady(int priorities) {
        return jdbc.reading(
                "read the oldest tasks",
                dialect::beginReading,
                on -> dialect.oldestReady(on.within(Scans.SECONDS), priorities));
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
