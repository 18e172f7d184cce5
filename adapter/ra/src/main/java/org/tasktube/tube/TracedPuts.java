package org.tasktube.tube;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.tasktube.OnConflict;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.Tube;
import org.tasktube.session.ClientConnection;
import org.tasktube.tracing.Tracing;

/** The part of {@link TubeHandle} that puts. Each put is within a span, its wait for free capacity included. */
abstract class TracedPuts extends ModeCalls implements Tube {

    private final TubeEngine tube;
    private final PutCalls puts;
    private final BlockingCall blocking;
    private final RefusalReason refusal;
    private final Tracing tracing;

    TracedPuts(TubeEngine tube, TubeContext context, ClientConnection client) {
        super(tube, context, client);
        this.tube = tube;
        this.puts = new PutCalls(tube, client);
        this.blocking = new BlockingCall(tube, context, client);
        this.refusal = new RefusalReason(tube);
        this.tracing = context.tracing();
    }

    @Override
    public Task put(Object data, PutOptions options) {
        TaskData checked = TaskData.of(data);
        return tracing.put(name(), options, sent -> puts.put(checked, sent)).orElseThrow(refusal::full);
    }

    @Override
    public Optional<Task> put(Object data, PutOptions options, Duration timeout) {
        TaskData checked = TaskData.of(data);
        return tracing.put(name(), options, sent -> waiting(1, timeout, () -> puts.put(checked, sent)));
    }

    @Override
    public List<Task> putAll(List<?> data, PutOptions options) {
        return putAll(PutCalls.items(data, options));
    }

    @Override
    public List<Task> putAll(List<PutItem> items) {
        return tracing.putAll(name(), PutCalls.checked(items), puts::putAll).orElseThrow(refusal::full);
    }

    @Override
    public Optional<List<Task>> putAll(List<?> data, PutOptions options, Duration timeout) {
        return putAll(PutCalls.items(data, options), timeout);
    }

    @Override
    public Optional<List<Task>> putAll(List<PutItem> items, Duration timeout) {
        List<PutItem> checked = PutCalls.checked(items);
        puts.checkFits(checked.size());
        return tracing.putAll(name(), checked, sent -> waiting(sent.size(), timeout, () -> puts.putAll(sent)));
    }

    @Override
    public Task putUnique(Object data) {
        TaskData checked = TaskData.of(data);
        return putUnique(checked.digest(), checked, PutOptions.defaults(), OnConflict.KEEP);
    }

    @Override
    public Task putUnique(String key, Object data, PutOptions options, OnConflict onConflict) {
        PutCalls.checkKey(key);
        TaskData checked = TaskData.of(data);
        return tracing.put(name(), options, sent -> puts.putUnique(key, checked, sent, onConflict))
                .orElseThrow(refusal::full);
    }

    @Override
    public Optional<Task> putUnique(
            String key, Object data, PutOptions options, OnConflict onConflict, Duration timeout) {
        PutCalls.checkKey(key);
        TaskData checked = TaskData.of(data);
        return tracing.put(
                name(), options, sent -> waiting(1, timeout, () -> puts.putUnique(key, checked, sent, onConflict)));
    }

    private <T> Optional<T> waiting(int tasks, Duration timeout, Supplier<Optional<T>> put) {
        return blocking.waitIn(() -> tube.roomWaiter(tasks), timeout, put);
    }
}
