package org.tasktube.node.admin;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeModes;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskHistory;
import org.tasktube.admin.TubeChange;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.TubeDirectory;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskId;
import org.tasktube.store.TaskLog;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.tube.TubeEngine;

/** The histories of tasks, and the changes of what tubes keep. */
record HistoryReport(StoreAccess access, TubeDirectory directory) {

    TubeDefinition change(String name, TubeChange change) {
        return tube(name).runtime().known().change(change);
    }

    TaskHistory of(String name, long id, Optional<String> from, int limit) {
        if (limit < 1 || limit > TaskAdmin.MAX_EVENTS) {
            throw new IllegalArgumentException(
                    "the number of moves, " + limit + ", is not from 1 to " + TaskAdmin.MAX_EVENTS);
        }
        long after = from.map(HistoryReport::number).orElse(0L);
        StoredTube tube = tube(name).stored();
        TaskStore store = access.tasks(tube);
        TaskLog log = store.histories().of(tube, id, after, limit + 1, TaskAdmin.MAX_PUTS);
        if (log.moves().isEmpty()
                && after == 0
                && store.reports().whole(tube, id).isEmpty()) {
            throw new TaskNotFoundException(name, id);
        }
        return page(tube, id, log, limit);
    }

    private static long number(String from) {
        try {
            long number = Long.parseLong(from);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // No page has such a text, as no page has a number below 1
        }
        throw new IllegalArgumentException(
                "no page of a history begins at '" + from + "'; use the text that the page before gave");
    }

    private TubeEngine tube(String name) {
        return directory.find(name).orElseThrow(() -> new TubeNotFoundException(name));
    }

    private TaskHistory page(StoredTube tube, long id, TaskLog log, int limit) {
        List<TaskLog.Move> moves = log.moves().stream().limit(limit).toList();
        Map<Integer, String> names = log.parent().isEmpty() && log.puts().isEmpty() ? Map.of() : names();
        return new TaskHistory(
                tube.name(),
                id,
                tube.definition().history(),
                tube.definition().historyRetention(),
                log.parent().flatMap(parent -> task(names, parent)),
                log.puts().stream().flatMap(put -> put(names, put).stream()).toList(),
                moves.stream().map(TaskLog.Move::event).toList(),
                log.moves().size() > limit
                        ? Optional.of(Long.toString(moves.get(limit - 1).number()))
                        : Optional.empty(),
                log.now());
    }

    private Map<Integer, String> names() {
        return access.registry().tubes().stream().collect(Collectors.toMap(StoredTube::id, StoredTube::name));
    }

    /** Returns a task by the name of its tube; empty if the tube was dropped. */
    private static Optional<TaskHistory.Task> task(Map<Integer, String> names, TaskId task) {
        return Optional.ofNullable(names.get(task.tube())).map(name -> new TaskHistory.Task(name, task.id()));
    }

    private static Optional<TaskHistory.Put> put(Map<Integer, String> names, TaskLog.Put put) {
        return task(names, put.task()).map(task -> new TaskHistory.Put(task.tube(), task.id(), put.at()));
    }

    /**
     * Checks the name of a user.
     *
     * @throws IllegalArgumentException if it is blank or too long
     */
    static String checkedName(String by) {
        if (by.isBlank() || by.length() > TubeModes.MAX_MODE_TEXT) {
            throw new IllegalArgumentException("the name of the user has " + by.length()
                    + " characters or is blank; set 1 to " + TubeModes.MAX_MODE_TEXT + " characters, not all blank");
        }
        return by;
    }
}
