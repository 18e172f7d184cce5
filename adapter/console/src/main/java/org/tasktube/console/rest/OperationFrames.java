package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.tasktube.AdapterState;
import org.tasktube.TubeConnection;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.console.json.OperationView;
import org.tasktube.console.live.Frame;
import org.tasktube.console.live.FrameSource;

/** The event with the operations that run, and with those of the newest ones that wait. */
@ApplicationScoped
public class OperationFrames implements FrameSource {

    private static final String EVENT = "operations";
    private static final int NEWEST = 100;

    private static final int MOST_PAGES = 20;

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

    /** Operations run in the order of their start. So the one that runs can be behind any number that waits. */
    private static List<Operation> read(TaskAdmin admin) {
        List<Operation> newest = admin.operations(Optional.empty(), NEWEST);
        List<Operation> page = newest;
        for (int pages = 1; pages < MOST_PAGES && mayBeBehind(page); pages++) {
            long last = page.get(page.size() - 1).id();
            page = admin.operations(Optional.of(last), NEWEST);
        }
        return page == newest
                ? newest
                : Stream.concat(newest.stream(), page.stream().filter(OperationFrames::isRunning))
                        .toList();
    }

    /** Returns whether the operation that runs may be older than those of a page. */
    private static boolean mayBeBehind(List<Operation> page) {
        return page.size() == NEWEST
                && page.stream()
                        .allMatch(operation -> operation.state() == OperationState.WAITING
                                || operation.state() == OperationState.CANCELLED);
    }

    private static boolean isRunning(Operation operation) {
        return operation.state() == OperationState.RUNNING;
    }
}
