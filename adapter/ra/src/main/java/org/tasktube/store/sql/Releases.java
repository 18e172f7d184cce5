package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.tasktube.store.Change;
import org.tasktube.store.Released;
import org.tasktube.store.Taken;
import org.tasktube.store.Transition;

/** Releases TAKEN tasks of any tubes, each one only if the same taking still holds it. */
final class Releases {

    /** The most tasks that one transaction releases, so that it stays short. */
    private static final int BATCH = 1_000;

    private final Jdbc jdbc;
    private final KnownTubes known;
    private final List<Table> tables;

    /** What releases tasks of a table. */
    private record Table(
            boolean temporary, Dialect dialect, TrackedStatement release, TrackedStatement returnUnstarted) {

        static Table of(Dialect dialect, boolean temporary) {
            Statements sql = dialect.statements();
            return new Table(
                    temporary,
                    dialect,
                    TrackedStatement.of(sql, "release_taken", TrackedStatement.IDS),
                    TrackedStatement.of(sql, "return_unstarted_locked", TrackedStatement.IDS));
        }

        TrackedStatement statement(Transition transition) {
            return transition == Transition.RETURN_UNSTARTED ? returnUnstarted : release;
        }
    }

    Releases(Jdbc jdbc, Tables tables, KnownTubes known) {
        this.jdbc = jdbc;
        this.known = known;
        this.tables = List.of(Table.of(tables.durable(), false), Table.of(tables.temporary(), true));
    }

    /** Releases tasks in several transactions. */
    List<Released> inBatches(Collection<Taken> takings, Transition transition) {
        List<Taken> all = List.copyOf(takings);
        List<Released> released = new ArrayList<>();
        for (int from = 0; from < all.size(); from += BATCH) {
            List<Taken> batch = all.subList(from, Math.min(all.size(), from + BATCH));
            released.addAll(jdbc.atomic("release tasks", on -> release(on, batch, transition)));
        }
        return grouped(released);
    }

    /** Releases tasks in the present transaction. Skips tasks that others have locked. */
    List<Released> release(SqlConnection on, Collection<Taken> takings, Transition transition) throws SQLException {
        List<Released> released = new ArrayList<>();
        for (Table table : tables) {
            List<Taken> there = takings.stream()
                    .filter(taken -> taken.temporary() == table.temporary)
                    .toList();
            if (!there.isEmpty()) {
                released.addAll(release(on, table, there, transition));
            }
        }
        return released;
    }

    private List<Released> release(SqlConnection on, Table table, Collection<Taken> takings, Transition transition)
            throws SQLException {
        List<Long> held = lock(on, table.dialect, takings);
        Map<Long, Integer> tubes = new HashMap<>();
        takings.forEach(taken -> tubes.put(taken.id(), taken.tube()));
        if (held.isEmpty()) {
            return List.of();
        }
        HistoryMoves moves = new HistoryMoves(table.dialect, known);
        return table.dialect.full(
                on,
                table.statement(transition),
                each -> new Released(tubes.get(each.getLong(1)), List.of(each.getLong(1))),
                moves.values(Change.of(transition)).and("marks", true, "ids", held));
    }

    /** Locks the tasks that the same takings still hold; returns their ids. Skips tasks that others have locked. */
    private static List<Long> lock(SqlConnection on, Dialect dialect, Collection<Taken> takings) throws SQLException {
        Map<Long, Long> tokens = new HashMap<>();
        takings.forEach(taken -> tokens.put(taken.id(), taken.token()));
        List<Long> held = new ArrayList<>();
        dialect.listByIds(
                on,
                dialect.statements().get("lock_taken"),
                row -> row.getLong(2) == tokens.get(row.getLong(1)) && held.add(row.getLong(1)),
                Parameters.of("ids", tokens.keySet()));
        return held;
    }

    /** Returns the TAKEN tasks of all tubes. */
    List<Taken> taken(SqlConnection on) throws SQLException {
        return taken(on, "taken", Parameters.NONE);
    }

    /** Returns the TAKEN tasks of a session. */
    List<Taken> takenBy(SqlConnection on, UUID session) throws SQLException {
        return taken(on, "taken_by_session", Parameters.of("session", session));
    }

    private List<Taken> taken(SqlConnection on, String statement, Parameters of) throws SQLException {
        List<Taken> taken = new ArrayList<>();
        for (Table table : tables) {
            taken.addAll(on.list(table.dialect.statements().get(statement), row -> taken(table.temporary, row), of));
        }
        return taken;
    }

    /** Reads a row of the statement {@code taken}. */
    private static Taken taken(boolean temporary, ResultSet row) throws SQLException {
        return new Taken(
                temporary,
                row.getInt(1),
                row.getLong(2),
                row.getObject(3, UUID.class),
                row.getLong(4),
                row.getInt(5),
                row.getBoolean(6),
                row.getBoolean(7));
    }

    static List<Released> grouped(List<Released> single) {
        Map<Integer, List<Long>> byTube = new LinkedHashMap<>();
        single.forEach(task ->
                byTube.computeIfAbsent(task.tube(), tube -> new ArrayList<>()).addAll(task.ids()));
        List<Released> grouped = new ArrayList<>();
        byTube.forEach((tube, ids) -> grouped.add(new Released(tube, ids)));
        return grouped;
    }
}
