package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.tasktube.AdapterState;
import org.tasktube.OperationNotFoundException;
import org.tasktube.TaskState;
import org.tasktube.TubeConnection;
import org.tasktube.admin.Operation;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.console.json.OperationView;
import org.tasktube.console.live.Frame;
import org.tasktube.console.live.FrameSource;

/** The event with the operations that run, and with those of the newest ones that wait. */
@ApplicationScoped
public class OperationFrames implements FrameSource {

    private static final String EVENT = "operations";
    private static final int NEWEST = 100;

    /** One operation runs at a time. Other servers hold the task of a later one for a moment, until they know that. */
    private static final int MOST_TAKEN = 10;

    private static final Jsonb JSON = JsonbBuilder.create();

    @Inject
    private Tubes tubes;

    /** The data of the event. */
    public record Live(List<OperationView> operations) {}

    @Override
    public Frame frame() {
        return tubes.with(OperationFrames::frame);
    }

    static Frame frame(TubeConnection connection) {
        List<Operation> read = connection.state() == AdapterState.RUNNING ? read(Tubes.admin(connection)) : List.of();
        List<OperationView> open = read.stream()
                .filter(operation -> !operation.state().isEnded())
                // All users share the event, also those who see no secrets
                .map(operation -> OperationView.of(operation, false))
                .toList();
        String data = JSON.toJson(new Live(open));
        return new Frame(EVENT, data, data);
    }

    /** Operations run in the order of their start. So those that run can be behind any number that waits. */
    private static List<Operation> read(TaskAdmin admin) {
        List<Operation> newest = admin.operations(Optional.empty(), NEWEST);
        if (newest.size() < NEWEST) {
            return newest;
        }
        long last = newest.get(newest.size() - 1).id();
        return Stream.concat(newest.stream(), older(admin, last)).toList();
    }

    /**
     * Finds older operations by their tasks, which have the same ids. Of one that runs, the task is TAKEN. If its
     * server has died, the task is READY again, and is the first one.
     */
    private static Stream<Operation> older(TaskAdmin admin, long last) {
        return Stream.concat(first(admin, TaskState.TAKEN, MOST_TAKEN), first(admin, TaskState.READY, 1))
                .filter(id -> id < last)
                .sorted(Comparator.reverseOrder())
                .flatMap(id -> find(admin, id).stream());
    }

    private static Stream<Long> first(TaskAdmin admin, TaskState state, int limit) {
        TaskFilter filter = TaskFilter.parse(
                "tube:" + Operation.TUBE + " state:" + state.name().toLowerCase(Locale.ROOT));
        return admin.search(filter, Optional.empty(), limit).tasks().stream()
                .map(task -> task.meta().id());
    }

    private static Optional<Operation> find(TaskAdmin admin, long id) {
        try {
            return Optional.of(admin.operation(id));
        } catch (OperationNotFoundException e) {
            return Optional.empty();
        }
    }
}
