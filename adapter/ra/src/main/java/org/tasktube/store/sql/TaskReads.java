package org.tasktube.store.sql;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.Poll;
import org.tasktube.store.RegistryNews;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TubeCount;

/**
 * Reads tasks as the caller's transaction sees them: whole tasks by JPA; frequent reads, and reads together with a
 * change, by JDBC. No read waits for another transaction, or locks a task.
 *
 * @param entity the name of the entity of the table
 */
public record TaskReads(Jdbc jdbc, Dialect dialect, Entities entities, String entity) {

    /** Returns the existing tasks of these ids, as the caller's transaction sees them. */
    public List<Task> tasks(StoredTube tube, Collection<Long> ids) {
        return jdbc.single(
                "read tasks",
                on -> on.list(
                        sql("tasks"),
                        row -> Rows.task(tube.name(), row),
                        Parameters.of("tube", tube.id(), "ids", ids)));
    }

    public Optional<Task> find(StoredTube tube, long id) {
        return entity(tube, id).map(task -> task.toTask(tube.name()));
    }

    /** Returns the task of a unique key; empty if none has it now. */
    public Optional<Task> byKey(StoredTube tube, String key) {
        return jdbc.single(
                "read tasks",
                on -> on.first(
                        sql("task_by_key"),
                        row -> Rows.task(tube.name(), row),
                        Parameters.of("tube", tube.id(), "unique_key", key)));
    }

    /** Returns whether a unique key is taken, by a task or for its time. */
    public boolean isTaken(StoredTube tube, String key) {
        return jdbc.single(
                        "read a unique key",
                        on -> on.first(
                                sql("id_by_key"),
                                row -> row.getObject(1) != null,
                                Parameters.of("tube", tube.id(), "unique_key", key)))
                .orElse(false);
    }

    /** Returns the session that holds a task; empty if none does. */
    public Optional<UUID> holder(StoredTube tube, long id) {
        return jdbc.single(
                "read tasks",
                on -> on.first(
                        sql("holder"),
                        row -> row.getObject(1, UUID.class),
                        Parameters.of("id", id, "tube", tube.id())));
    }

    public Optional<TaskMeta> meta(StoredTube tube, long id) {
        return entity(tube, id)
                .map(task -> task.toMeta(tube.name(), task.failure().flatMap(this::kind), now()));
    }

    private Optional<FailureEntity> kind(long number) {
        return entities.query(em -> Optional.ofNullable(em.find(FailureEntity.class, number)));
    }

    private Instant now() {
        return jdbc.glance("read its clock", on -> on.first(
                        sql("now"),
                        row -> row.getObject(1, OffsetDateTime.class).toInstant(),
                        Parameters.NONE)
                .orElseThrow());
    }

    public Optional<TaskResult> result(StoredTube tube, long id) {
        return entity(tube, id).flatMap(TaskEntity::toResult);
    }

    private Optional<TaskEntity> entity(StoredTube tube, long id) {
        return entities.query(em -> em.createQuery(
                        "SELECT t FROM " + entity + " t WHERE t.id = :id AND t.tubeId = :tube", TaskEntity.class)
                .setParameter("id", id)
                .setParameter("tube", tube.id())
                .getResultStream()
                .findFirst());
    }

    /** Returns the states of the existing tasks of these ids. */
    public Map<Long, TaskState> states(Collection<Long> ids) {
        Map<Long, TaskState> states = new HashMap<>();
        jdbc.single(
                "read tasks",
                on -> on.list(
                        sql("states"),
                        row -> states.put(row.getLong(1), Rows.state(row, 2)),
                        Parameters.of("ids", ids)));
        return states;
    }

    /**
     * Returns the first task in a state: by deadline if DELAYED, else by order key. A task without a deadline, which
     * waits for others, comes after those.
     */
    public Optional<Task> first(StoredTube tube, TaskState state) {
        String byKey = " ORDER BY t.pri, t.ord, t.id";
        return state == TaskState.DELAYED
                ? first(tube, state, " AND t.eventAt IS NOT NULL ORDER BY t.eventAt")
                        .or(() -> first(tube, state, byKey))
                : first(tube, state, byKey);
    }

    /** The text of the query has the state and the order, so that the database finds its partial index. */
    private Optional<Task> first(StoredTube tube, TaskState state, String order) {
        return entities.query(em -> em.createQuery(
                                "SELECT t FROM " + entity + " t WHERE t.tubeId = :tube AND t.state = '" + state.letter()
                                        + "'" + " AND t.blocked = false" + order,
                                TaskEntity.class)
                        .setParameter("tube", tube.id())
                        .setMaxResults(1)
                        .getResultStream()
                        .findFirst())
                .map(task -> task.toTask(tube.name()));
    }

    public List<Task> page(StoredTube tube, TaskState state, long afterId, int limit) {
        return entities
                .query(em -> em.createQuery(
                                "SELECT t FROM " + entity + " t WHERE t.tubeId = :tube AND t.state = '" + state.letter()
                                        + "' AND t.id > :after ORDER BY t.id",
                                TaskEntity.class)
                        .setParameter("tube", tube.id())
                        .setParameter("after", afterId)
                        .setMaxResults(limit)
                        .getResultList())
                .stream()
                .map(task -> task.toTask(tube.name()))
                .toList();
    }

    /** Returns the number of tasks per tube and state. TaskReads all tasks. */
    public List<TubeCount> counts() {
        return jdbc.glance("count tasks", on -> on.list(sql("counts"), Rows::count, Parameters.NONE));
    }

    Poll poll(Collection<Integer> takers, Collection<Integer> putters) {
        return jdbc.glance("poll tubes", on -> {
            Set<Integer> ready = new HashSet<>();
            Set<Integer> free = new HashSet<>();
            Map<Integer, ModeSetting> modes = new HashMap<>();
            List<RegistryNews> news = on.list(
                    sql("poll"),
                    row -> {
                        int tube = row.getInt(1);
                        add(tube, row.getBoolean(2), ready);
                        add(tube, row.getBoolean(3), free);
                        modes.put(tube, Rows.mode(row, 4));
                        return Rows.news(row, 8);
                    },
                    Parameters.of("takers", takers, "putters", putters));
            ready.addAll(takers.isEmpty() ? List.of() : dialect.unparkedTubes(on, takers));
            ready.removeIf(tube -> modes.containsKey(tube) && modes.get(tube).isPaused());
            return new Poll(ready, free, modes, news.stream().findFirst());
        });
    }

    private static void add(int tube, boolean isFound, Set<Integer> found) {
        if (isFound) {
            found.add(tube);
        }
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
