package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.tasktube.TaskState;
import org.tasktube.admin.TaskRelations;
import org.tasktube.admin.TaskRelations.Relative;
import org.tasktube.store.StoredTube;

/**
 * Keeps which tasks wait for which others: children for their parents. The ack of a parent ends its row in the same
 * transaction ({@link Transitions}). What follows for its children is found after that commit, in a transaction of its
 * own: the one after the last parent's commit sees all rows as ended, whatever their order.
 */
public final class Afters {

    /** The most waits of one part of a look at all. */
    private static final int PART = 1_000;

    private final Jdbc jdbc;
    private final Tables tables;
    private final Statements sql;

    /** That a child waits for a parent. */
    private record Wait(long parent, long child) {

        static Wait read(ResultSet row) throws SQLException {
            return new Wait(row.getLong(1), row.getLong(2));
        }

        Parameters parameters() {
            return Parameters.of("parent", parent, "child", child);
        }
    }

    /** A task that can never follow its parent, which is gone without an ack. */
    public record Lost(int tube, long child, long parent) {}

    /**
     * What is found after the end of parents.
     *
     * @param areDue whether tasks are due now
     * @param lost those that can never follow
     * @param again the parents of tasks that other transactions have locked
     */
    public record Found(boolean areDue, List<Lost> lost, Set<Long> again) {}

    Afters(Jdbc jdbc, Tables tables) {
        this.jdbc = jdbc;
        this.tables = tables;
        this.sql = tables.durable().statements();
    }

    /**
     * Adds the parents of tasks that the caller has just put.
     *
     * @param anyEnd whether each end of a parent counts, and not only an ack
     * @return the number of parents that are there
     */
    public int add(StoredTube tube, Collection<Long> children, Collection<Long> parents, boolean anyEnd) {
        return jdbc.atomic("put a task after others", on -> {
            on.update(
                    sql.get("add_after"),
                    Parameters.of("tube", tube.id(), "children", children, "parents", parents, "any_end", anyEnd));
            return follow(on, parents);
        });
    }

    /** Adds tasks that the caller has just put as parents of another one, which waits. */
    public void addBefore(StoredTube tube, long child, Collection<Long> parents) {
        jdbc.atomic("put a task before another", on -> {
            on.update(sql.get("add_before"), Parameters.of("tube", tube.id(), "child", child, "parents", parents));
            return follow(on, parents);
        });
    }

    /** Marks parents that are not marked yet. Returns the number of those that are there and not DONE. */
    private int follow(SqlConnection on, Collection<Long> parents) throws SQLException {
        Set<Long> left = new TreeSet<>(parents);
        for (Dialect table : List.of(tables.durable(), tables.temporary())) {
            if (!left.isEmpty()) {
                changed(on, table, "follow", left).forEach(left::remove);
            }
        }
        for (Dialect table : List.of(tables.durable(), tables.temporary())) {
            if (!left.isEmpty()) {
                table.listByIds(
                                on,
                                table.statements().get("states"),
                                row -> TaskState.DONE.letter()
                                                == row.getString(2).charAt(0)
                                        ? 0
                                        : row.getLong(1),
                                Parameters.of("ids", List.copyOf(left)))
                        .forEach(left::remove);
            }
        }
        return parents.size() - left.size();
    }

    /**
     * Moves what waits for a task, and what it waits for, to an edited form in its place, which the caller has just put.
     *
     * @param waited whether the task waited for others
     */
    public void move(StoredTube tube, long old, long id, boolean waited) {
        Parameters all = Parameters.of("tube", tube.id(), "old", old, "id", id);
        jdbc.atomic("move what waits for a task", on -> {
            if (on.update(sql.get("move_children"), all) > 0) {
                follow(on, List.of(id));
            }
            if (waited) {
                on.list(sql.get("lock_parents"), row -> row.getLong(1), all);
                on.update(sql.get("move_parents"), all);
            }
            return waited;
        });
    }

    private static List<Long> changed(SqlConnection on, Dialect table, String statement, Collection<Long> ids)
            throws SQLException {
        TrackedStatement change = TrackedStatement.of(table.statements(), statement, TrackedStatement.IDS);
        return table.listByIds(on, change.plain(), row -> row.getLong(1), Parameters.of("ids", ids));
    }

    /** Makes a READY task wait that the caller's transaction has put. Returns whether it was READY. */
    public boolean holdBack(StoredTube tube, long child) {
        return jdbc.atomic("hold a task back", on -> !changed(on, tables.of(tube), "hold_back", List.of(child))
                .isEmpty());
    }

    /** Returns whether a task waits for others. */
    public boolean isWaiting(StoredTube tube, long child) {
        return jdbc.single("look at a task", on -> !waiting(on, tables.of(tube), List.of(child))
                .isEmpty());
    }

    private static List<Long> waiting(SqlConnection on, Dialect table, Collection<Long> ids) throws SQLException {
        return table.listByIds(on, table.statements().get("waiting"), row -> row.getLong(1), Parameters.of("ids", ids));
    }

    /**
     * Returns whether a task still waits for one of these others. If so, that one ends after the caller's transaction.
     */
    public boolean isBehind(Collection<Long> parents, long child) {
        Parameters row = Parameters.of("parents", parents, "child", child);
        return jdbc.single("look for the parents of a task", on -> on.any(sql.get("lock_open_parent"), row));
    }

    /**
     * Finds what follows for the children of parents that have ended, or may have: those that wait for no other become
     * due, and the next sweep makes them READY. Callers are never in a transaction.
     */
    public Found settle(Collection<Long> parents) {
        Parameters ids = Parameters.of("ids", parents);
        List<Lost> lost = new ArrayList<>();
        Set<Long> again = new TreeSet<>();
        // In a transaction of its own: another server's look may end another parent at the same time
        jdbc.atomic("end the waits for tasks that are gone", on -> {
            Set<Wait> over = new HashSet<>();
            tables.durable()
                    .listByIds(
                            on,
                            sql.get("gone"),
                            row -> row.getBoolean(4)
                                    ? over.add(Wait.read(row))
                                    : lost.add(new Lost(row.getInt(3), row.getLong(2), row.getLong(1))),
                            ids);
            over.removeAll(change(on, "end_wait", over));
            over.forEach(locked -> again.add(locked.parent()));
            return true;
        });
        return jdbc.atomic("let tasks follow others", on -> {
            Map<Long, Set<Long>> parentsOf = new TreeMap<>();
            tables.durable()
                    .listByIds(
                            on,
                            sql.get("children"),
                            row -> parentsOf
                                    .computeIfAbsent(row.getLong(2), child -> new TreeSet<>())
                                    .add(row.getLong(1)),
                            ids);
            if (parentsOf.isEmpty()) {
                return new Found(false, lost, again);
            }
            boolean areDue = false;
            for (Dialect table : List.of(tables.durable(), tables.temporary())) {
                Set<Long> children = new TreeSet<>(waiting(on, table, parentsOf.keySet()));
                if (!children.isEmpty()) {
                    List<Long> locked = table.listByIds(
                            on,
                            table.statements().get("lock_waiting"),
                            row -> row.getLong(1),
                            Parameters.of("ids", children));
                    areDue |= !locked.isEmpty()
                            && !changed(on, table, "make_due", locked).isEmpty();
                    locked.forEach(children::remove);
                    children.forEach(child -> again.addAll(parentsOf.get(child)));
                }
            }
            return new Found(areDue, lost, again);
        });
    }

    /** Returns the tasks before a task and after it. */
    public TaskRelations relations(long id) {
        Parameters of = Parameters.of("id", id, "max", TaskRelations.MOST);
        return jdbc.reading("read the tasks before and after another", tables.durable()::beginReading, connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            List<Relative> before = on.list(sql.get("parents_of"), Afters::relative, of);
            List<Relative> after = on.list(sql.get("children_of"), Afters::relative, of);
            return on.first(
                            sql.get("count_parents"),
                            row -> new TaskRelations(row.getLong(1), row.getLong(2), before, after),
                            of)
                    .orElseThrow();
        });
    }

    private static Relative relative(ResultSet row) throws SQLException {
        Optional<TaskState> state = row.getString(3) == null ? Optional.empty() : Optional.of(Rows.state(row, 3));
        return new Relative(row.getLong(1), Optional.ofNullable(row.getString(2)), state, row.getBoolean(4));
    }

    /** Returns whether any task may wait for others. */
    public boolean isUsed() {
        return jdbc.single("look for tasks that wait", on -> on.any(sql.get("any_after"), Parameters.NONE));
    }

    /** Ends what a task waited for, because it waits no longer. Leaves what another transaction has locked. */
    public void endAllBefore(long child) {
        jdbc.atomic("end a wait", on -> {
            Set<Wait> all = new HashSet<>(on.list(sql.get("before"), Wait::read, Parameters.of("child", child)));
            return change(on, "end_wait", all);
        });
    }

    /** Changes those of these waits that no other transaction has locked, and returns them. */
    private Set<Wait> change(SqlConnection on, String statement, Set<Wait> waits) throws SQLException {
        if (waits.isEmpty()) {
            return Set.of();
        }
        Set<Wait> locked = new HashSet<>(on.list(
                sql.get("lock_waits"),
                Wait::read,
                Parameters.of(
                        "parents", waits.stream().map(Wait::parent).distinct().toList(),
                        "children", waits.stream().map(Wait::child).distinct().toList())));
        locked.retainAll(waits);
        on.batch(sql.get(statement), locked.stream().map(Wait::parameters).toList());
        return locked;
    }

    /**
     * A part of a look at all waits.
     *
     * @param parents those whose children have not followed them, as after the death of a server, or which are gone
     * @param next where the next part begins; empty if this was the last one
     */
    public record Look(Set<Long> parents, Optional<Place> next) {}

    /** A place in the order of all waits. */
    public record Place(long parent, long child) {

        public static final Place START = new Place(0, 0);
    }

    /**
     * Looks at the next {@value #PART} waits from a place on. Removes those of children that are gone, but not those that
     * another transaction has locked. Callers are never in a transaction.
     */
    public Look look(Place from) {
        return jdbc.atomic("look for tasks that wait for none", connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            Map<Wait, Boolean> all = new LinkedHashMap<>();
            on.list(
                    sql.get("look"),
                    row -> all.put(Wait.read(row), row.getBoolean(3)),
                    Parameters.of("parent", from.parent, "child", from.child, "max", PART));
            Set<Long> there = new HashSet<>();
            Set<Long> waiting = new HashSet<>();
            Set<Long> children = all.keySet().stream().map(Wait::child).collect(Collectors.toCollection(TreeSet::new));
            Set<Long> both = new TreeSet<>(children);
            all.keySet().forEach(wait -> both.add(wait.parent));
            for (Dialect table : List.of(tables.durable(), tables.temporary())) {
                there.addAll(table.listByIds(
                        on, table.statements().get("states"), row -> row.getLong(1), Parameters.of("ids", both)));
                waiting.addAll(waiting(on, table, children));
            }
            tables.durable()
                    .listByIds(on, sql.get("open"), row -> row.getLong(1), Parameters.of("ids", children))
                    .forEach(waiting::remove);
            Set<Wait> childless = new HashSet<>();
            Set<Long> parents = new TreeSet<>();
            all.forEach((wait, ended) -> {
                if (!there.contains(wait.child)) {
                    childless.add(wait);
                } else if (ended ? waiting.remove(wait.child) : !there.contains(wait.parent)) {
                    parents.add(wait.parent);
                }
            });
            change(on, "remove_wait", childless);
            Optional<Place> next =
                    all.keySet().stream().skip(PART - 1).findFirst().map(last -> new Place(last.parent, last.child));
            return new Look(parents, next);
        });
    }
}
