package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import java.util.List;
import java.util.Optional;
import org.tasktube.AdapterState;
import org.tasktube.TubeConnection;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationState;
import org.tasktube.console.json.OperationView;
import org.tasktube.console.live.Frame;
import org.tasktube.console.live.FrameSource;

/** The event with the operations that wait or run, of the newest ones. */
@ApplicationScoped
public class OperationFrames implements FrameSource {

    private static final String EVENT = "operations";
    private static final int NEWEST = 100;
    private static final Jsonb JSON = JsonbBuilder.create();

    @Inject
    private Tubes tubes;

    /** The data of the event. */
    public record Live(List<OperationView> operations) {}

    @Override
    public Frame frame() {
        return frame(tubes.with(OperationFrames::newest));
    }

    private static List<Operation> newest(TubeConnection connection) {
        return connection.state() == AdapterState.RUNNING
                ? Tubes.admin(connection).operations(Optional.empty(), NEWEST)
                : List.of();
    }

    static Frame frame(List<Operation> newest) {
        List<OperationView> open = newest.stream()
                .filter(operation ->
                        operation.state() == OperationState.WAITING || operation.state() == OperationState.RUNNING)
                .map(OperationView::of)
                .toList();
        String data = JSON.toJson(new Live(open));
        return new Frame(EVENT, data, data);
    }
}
