package org.tasktube.tracing;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.Task;

/** Spans of puts and deliveries. No failure of the tracing fails a put or a delivery. */
public interface Tracing {

    /**
     * Puts a task within a span of the calling application.
     *
     * @param put the put; it gets the options to use, with the headers of the trace. Its result is empty if the tube
     *     has too little free capacity
     */
    Optional<Task> put(String tube, PutOptions options, Function<PutOptions, Optional<Task>> put);

    /**
     * Puts several tasks within one span of the calling application.
     *
     * @param put the put; it gets the items to use, with the headers of the trace. Its result is empty if the tube has
     *     too little free capacity
     */
    Optional<List<Task>> putAll(String tube, List<PutItem> items, Function<List<PutItem>, Optional<List<Task>>> put);

    /**
     * Begins the span of a delivery, and makes it the current one of this thread. End it on the same thread.
     *
     * @param application the class loader of the bean; null if the server does not give it
     * @param tasks one task, or the batch
     */
    DeliverySpan delivery(ClassLoader application, List<Task> tasks);
}
