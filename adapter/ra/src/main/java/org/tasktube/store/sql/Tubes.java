package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import org.tasktube.History;
import org.tasktube.StoreException;
import org.tasktube.TakeLimits;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.admin.TubeChange;
import org.tasktube.store.FieldIndex;
import org.tasktube.store.InUse;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.StoredTube;

/** The tubes in the database. Reads are by JPA. Changes, and reads together with changes, are by JDBC. */
record Tubes(Jdbc jdbc, Tables tables, Entities entities, KnownTubes known) {

    /** The longest wait for another transaction that creates, changes or drops the same tube. */
    private static final int SECONDS = 10;

    List<StoredTube> all() {
        long begun = known.beginReading();
        List<StoredTube> all = entities
                .query(em -> em.createQuery("SELECT t FROM Tube t ORDER BY t.name", TubeEntity.class)
                        .getResultList())
                .stream()
                .map(TubeEntity::toStored)
                .toList();
        jdbc.afterCommit(() -> known.learnAll(all, begun));
        return all;
    }

    Optional<StoredTube> find(String name) {
        Optional<StoredTube> found = entities.query(
                        em -> em.createQuery("SELECT t FROM Tube t WHERE t.name = :name", TubeEntity.class)
                                .setParameter("name", name)
                                .getResultStream()
                                .findFirst())
                .map(TubeEntity::toStored);
        found.ifPresent(this::learn);
        return found;
    }

    Optional<StoredTube> create(TubeDefinition tube, boolean subQueues) {
        Optional<StoredTube> created = waiting(
                tube.name(), () -> jdbc.atomic("create tube " + tube.name(), on -> insert(on, tube, subQueues)));
        created.ifPresent(this::learn);
        return created;
    }

    /** Runs a change of a tube, whose failure names the other transaction if it has waited for one. */
    private static <T> T waiting(String tube, Supplier<T> change) {
        try {
            return change.get();
        } catch (StoreException e) {
            throw SqlStates.isOverTime(e)
                    ? new StoreException(
                            "tube '" + tube + "' was left as it is: another transaction that has created, changed or"
                                    + " dropped it, or has its tasks, has not ended within " + SECONDS
                                    + " s, or the lock timeout of the datasource; repeat the call when it has ended",
                            e.getCause())
                    : e;
        }
    }

    private Optional<StoredTube> insert(SqlConnection on, TubeDefinition tube, boolean subQueues) throws SQLException {
        Optional<StoredTube> created;
        try {
            created = on.within(SECONDS)
                    .first(
                            sql("create_tube"),
                            row -> new StoredTube(
                                    row.getInt(1),
                                    tube,
                                    subQueues,
                                    Rows.mode(row, 2),
                                    0,
                                    new FieldIndex(row.getLong("index_id"), true)),
                            parameters(tube, subQueues));
        } catch (SQLException e) {
            if (SqlStates.isUniqueViolation(e)) {
                // H2's way to say that the name exists. It leaves the transaction as it was
                return Optional.empty();
            }
            throw e;
        }
        if (created.isPresent() && tube.capacity().isPresent()) {
            on.update(sql("add_slots"), Parameters.of("tube", created.get().id(), "count", (long)
                    tube.capacity().getAsInt()));
        }
        if (created.isPresent()) {
            new Seats(tables.of(created.get()), on).add(created.get().id(), tube.takeLimits());
        }
        return created;
    }

    private static Parameters parameters(TubeDefinition tube, boolean subQueues) {
        return Parameters.of(
                "name", tube.name(),
                "type", tube.type(),
                "pri", tube.pri(),
                "ttl", Parameters.millis(tube.ttl()),
                "ttr", Parameters.millis(tube.ttr()),
                "delay", tube.delay().toMillis(),
                "capacity", number(tube.capacity(), null),
                "temporary", tube.temporary(),
                "sub_queues", subQueues,
                "history", String.valueOf(tube.history().letter()),
                "history_ms", tube.historyRetention().toMillis(),
                "strict_order", tube.takeLimits().strictOrder(),
                "max_taken", number(tube.takeLimits().maxTaken(), null),
                "max_rate",
                        tube.takeLimits().maxRate().map(TakeLimits.Rate::takes).orElse(null),
                "rate_ms", Parameters.millis(tube.takeLimits().maxRate().map(TakeLimits.Rate::period)),
                "searchable", lines(tube.searchable()));
    }

    private static Integer number(OptionalInt value, Integer without) {
        return value.isPresent() ? Integer.valueOf(value.getAsInt()) : without;
    }

    private static String lines(List<String> searchable) {
        return String.join("\n", searchable);
    }

    /** Drops a tube; without force only if no task is TAKEN, also none that it had to wait for. */
    void drop(StoredTube tube, boolean force) {
        int unused = waiting(
                tube.name(),
                () -> jdbc.atomic("drop tube " + tube.name(), on -> {
                    Parameters dropped = Parameters.of("tube", tube.id());
                    Dialect dialect = tables.of(tube);
                    dialect.closeTube(on, tube);
                    on.within(SECONDS).update(sql("drop_tube"), dropped);
                    List<Long> taken = dialect.listByIds(
                            on,
                            dialect.statements().get("drop_tasks"),
                            row -> row.getLong(1),
                            dialect.tasksOf(on, tube.id(), false));
                    if (!force && taken.stream().anyMatch(tasks -> tasks > 0)) {
                        jdbc.failCaller();
                        throw InUse.byTaken(tube.name());
                    }
                    on.update(sql("drop_marks"), dropped);
                    on.update(sql("drop_seats"), dropped);
                    on.update(sql("drop_keys"), dropped);
                    on.update(sql("drop_parked"), dropped);
                    return on.update(sql("drop_slots"), dropped);
                }));
    }

    Optional<ModeSetting> setMode(StoredTube tube, TubeMode mode, String by, String reason) {
        Parameters parameters =
                Parameters.of("tube", tube.id(), "mode", String.valueOf(mode.letter()), "by", by, "reason", reason);
        return waiting(
                tube.name(),
                () -> jdbc.single("set the mode of tube " + tube.name(), on -> on.within(SECONDS)
                        .first(sql("set_mode"), row -> Rows.mode(row, 1), parameters)));
    }

    Optional<ModeSetting> mode(StoredTube tube) {
        return jdbc.single(
                "read the mode of tube " + tube.name(),
                on -> on.first(sql("mode"), row -> Rows.mode(row, 1), Parameters.of("tube", tube.id())));
    }

    Optional<StoredTube> change(StoredTube tube, TubeChange change) {
        Parameters parameters = Parameters.of(
                "tube", tube.id(),
                "pri", number(change.pri(), null),
                "ttl", Parameters.millis(change.ttl()),
                "ttr", Parameters.millis(change.ttr()),
                "delay", Parameters.millis(change.delay()),
                "history",
                        change.history()
                                .map(history -> String.valueOf(history.letter()))
                                .orElse(null),
                "history_ms", Parameters.millis(change.historyRetention()),
                "strict_order", change.strict().orElse(null),
                "max_taken", change.maxTaken().map(most -> number(most, 0)).orElse(null),
                "max_rate",
                        change.maxRate()
                                .map(rate -> rate.map(TakeLimits.Rate::takes).orElse(0))
                                .orElse(null),
                "rate_ms",
                        change.maxRate()
                                .map(rate -> rate.map(TakeLimits.Rate::period).orElse(Duration.ZERO))
                                .map(Duration::toMillis)
                                .orElse(null),
                "searchable",
                        newFields(tube.definition(), change).map(Tubes::lines).orElse(null));
        Optional<StoredTube> changed = waiting(
                tube.name(),
                () -> jdbc.atomic("change the defaults of tube " + tube.name(), connection -> {
                    SqlConnection on = connection.within(SECONDS);
                    boolean changesLimits =
                            change.maxTaken().isPresent() || change.maxRate().isPresent();
                    if (changesLimits) {
                        new Seats(tables.of(tube), on).await(tube.id());
                    }
                    Optional<StoredTube> now = on.first(sql("change_tube"), row -> changed(tube, row), parameters);
                    boolean wasStrict = tube.definition().takeLimits().strictOrder();
                    if (now.isPresent()
                            && change.strict()
                                    .filter(strict -> !strict || !wasStrict)
                                    .isPresent()) {
                        new HeldSubQueues(tables.of(tube), on).letAllGo(tube.id());
                    }
                    if (now.isPresent() && changesLimits) {
                        new Seats(tables.of(tube), on)
                                .add(tube.id(), now.get().definition().takeLimits());
                    }
                    return now;
                }));
        changed.ifPresent(this::learn);
        return changed;
    }

    /** Returns the searchable fields, if they are others than now: the index would read all tasks anew. */
    private static Optional<List<String>> newFields(TubeDefinition tube, TubeChange change) {
        List<String> wanted = change.applyTo(tube).searchable();
        return Set.copyOf(wanted).equals(Set.copyOf(tube.searchable())) ? Optional.empty() : Optional.of(wanted);
    }

    private static StoredTube changed(StoredTube tube, ResultSet row) throws SQLException {
        TubeDefinition before = tube.definition();
        TubeDefinition now = new TubeDefinition(
                before.name(),
                before.type(),
                row.getInt("pri"),
                Optional.ofNullable(row.getObject("ttl_ms", Long.class)).map(Duration::ofMillis),
                Optional.ofNullable(row.getObject("ttr_ms", Long.class)).map(Duration::ofMillis),
                Duration.ofMillis(row.getLong("delay_ms")),
                before.capacity(),
                before.temporary(),
                History.of(row.getString("history").charAt(0)),
                Duration.ofMillis(row.getLong("history_ms")),
                row.getString("searchable").lines().toList(),
                TubeEntity.limits(
                        row.getBoolean("strict_order"),
                        row.getObject("max_taken", Integer.class),
                        row.getObject("max_rate", Integer.class),
                        row.getObject("rate_ms", Long.class)));
        FieldIndex index = new FieldIndex(row.getLong("index_id"), row.getObject("index_since") == null);
        return new StoredTube(tube.id(), now, tube.subQueues(), tube.mode(), row.getInt("changes"), index);
    }

    /** The caller's transaction sees its own changes of tubes, which a rollback undoes. */
    private void learn(StoredTube tube) {
        jdbc.afterCommit(() -> known.learn(tube));
    }

    private NamedStatement sql(String name) {
        return tables.durable().statements().get(name);
    }
}
