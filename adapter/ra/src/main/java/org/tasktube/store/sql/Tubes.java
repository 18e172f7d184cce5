package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.StoredTube;

/** The tubes in the database. Reads are by JPA. Changes, and reads together with changes, are by JDBC. */
record Tubes(Jdbc jdbc, Dialect dialect, Entities entities) {

    List<StoredTube> all() {
        return entities
                .query(em -> em.createQuery("SELECT t FROM Tube t ORDER BY t.name", TubeEntity.class)
                        .getResultList())
                .stream()
                .map(TubeEntity::toStored)
                .toList();
    }

    Optional<StoredTube> find(String name) {
        return entities.query(em -> em.createQuery("SELECT t FROM Tube t WHERE t.name = :name", TubeEntity.class)
                        .setParameter("name", name)
                        .getResultStream()
                        .findFirst())
                .map(TubeEntity::toStored);
    }

    Optional<StoredTube> create(TubeDefinition tube, boolean subQueues) {
        return jdbc.atomic("create tube " + tube.name(), on -> insert(on, tube, subQueues));
    }

    private Optional<StoredTube> insert(SqlConnection on, TubeDefinition tube, boolean subQueues) throws SQLException {
        Parameters parameters = Parameters.of(
                "name", tube.name(),
                "type", tube.type(),
                "pri", tube.pri(),
                "ttl", Parameters.millis(tube.ttl()),
                "ttr", Parameters.millis(tube.ttr()),
                "delay", tube.delay().toMillis(),
                "capacity", tube.capacity().isPresent() ? tube.capacity().getAsInt() : null,
                "temporary", tube.temporary(),
                "sub_queues", subQueues);
        Optional<StoredTube> created;
        try {
            created = on.first(
                    sql("create_tube"),
                    row -> new StoredTube(row.getInt(1), tube, subQueues, Rows.mode(row, 2)),
                    parameters);
        } catch (SQLException e) {
            if (Jdbc.isUniqueViolation(e)) {
                // H2's way to say that the name exists. It leaves the transaction as it was
                return Optional.empty();
            }
            throw e;
        }
        if (created.isPresent() && tube.capacity().isPresent() && !tube.temporary()) {
            on.update(sql("add_slots"), Parameters.of("tube", created.get().id(), "count", (long)
                    tube.capacity().getAsInt()));
        }
        return created;
    }

    void drop(StoredTube tube) {
        jdbc.atomic("drop tube " + tube.name(), on -> {
            Parameters dropped = Parameters.of("tube", tube.id());
            dialect.closeTube(on, tube);
            on.update(sql("drop_tube"), dropped);
            dialect.updateByIds(on, sql("drop_tasks"), dialect.tasksOf(on, tube.id(), false));
            on.update(sql("drop_marks"), dropped);
            on.update(sql("drop_parked"), dropped);
            return on.update(sql("drop_slots"), dropped);
        });
    }

    Optional<ModeSetting> setMode(StoredTube tube, TubeMode mode, String by, String reason) {
        return jdbc.single(
                "set the mode of tube " + tube.name(),
                on -> on.first(
                        sql("set_mode"),
                        row -> Rows.mode(row, 1),
                        Parameters.of(
                                "tube", tube.id(), "mode", String.valueOf(mode.letter()), "by", by, "reason", reason)));
    }

    Optional<ModeSetting> mode(StoredTube tube) {
        return jdbc.single(
                "read the mode of tube " + tube.name(),
                on -> on.first(sql("mode"), row -> Rows.mode(row, 1), Parameters.of("tube", tube.id())));
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
