package org.tasktube.tracing;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.Task;

/** The tracing of a server without OpenTelemetry. */
final class NoTracing implements Tracing {

    @Override
    public Optional<Task> put(String tube, PutOptions options, Function<PutOptions, Optional<Task>> put) {
        return put.apply(options);
    }

    @Override
    public Optional<List<Task>> putAll(
            String tube, List<PutItem> items, Function<List<PutItem>, Optional<List<Task>>> put) {
        return put.apply(items);
    }

    @Override
    public DeliverySpan delivery(ClassLoader application, List<Task> tasks) {
        return DeliverySpan.NONE;
    }
}
