package org.tasktube.node.admin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.TaskFailure;
import org.tasktube.node.LogThrottle;
import org.tasktube.node.NodeParts;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Operations;

/**
 * Runs operations on this server, one after the other. A batch is one piece of work of the background thread, which
 * does other work between two batches. The row of an operation names the server that runs it. If that server has
 * stopped or died, or made no batch for a minute, another one goes on after the last batch that was committed.
 */
final class OperationRunner {

    /** The wait for the lock of an operation's row, which only a cancellation keeps. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration NETWORK_TIMEOUT = Duration.ofSeconds(15);
    /** The longest wait for listeners. The lease of another server lasts as long. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(10);

    /** The failures of a batch in a row after which the operation is FAILED. An absent database does not count. */
    private static final int MAX_FAILURES = 8;

    private final NodeParts parts;
    private final Executor background;
    private final OperationBatch batches;
    private final LogThrottle throttle = new LogThrottle();
    private final AtomicInteger wanted = new AtomicInteger();

    /** The wait for the effects of the last batch; null if there is none. */
    private final AtomicReference<Wait> wait = new AtomicReference<>();

    private record Wait(long since) {}

    // The rest is of the pieces of work, which follow each other

    /** The operation that this server runs; 0 for none. */
    private long current;

    private int failures;
    private Duration pause = FIRST_PAUSE;
    private boolean wasLocked;

    OperationRunner(NodeParts parts, Executor background) {
        this.parts = parts;
        this.background = background;
        this.batches = new OperationBatch(parts.settings(), parts.directory());
    }

    /**
     * Looks for an operation on the background thread, and runs it: one may have become free for this server. Goes on
     * with the present one if listeners have not learned of its last batch for a minute.
     */
    void soon() {
        if (wanted.getAndIncrement() == 0) {
            background.execute(this::run);
        } else {
            Wait stuck = wait.get();
            if (stuck != null && System.nanoTime() - stuck.since > PATIENCE.toNanos()) {
                goOn(stuck);
            }
        }
    }

    private void run() {
        int served = wanted.get();
        try {
            Optional<List<OperationBatch.Effect>> effects = next();
            failures = 0;
            pause = FIRST_PAUSE;
            if (effects.isPresent()) {
                apply(effects.get());
            } else if (wanted.addAndGet(-served) > 0) {
                background.execute(this::run);
            }
        } catch (RuntimeException | Error e) {
            // An Error must not end the work while the number says that it is wanted: no operation would run any more
            try {
                failed(e);
            } finally {
                parts.queue().executeIn(pause, () -> background.execute(this::run));
                pause = longer(pause);
            }
        }
    }

    /** Applies the effects of a batch. The next one follows them, so that listeners are not left behind. */
    private void apply(List<OperationBatch.Effect> effects) {
        AtomicInteger left = new AtomicInteger(effects.size() + 1);
        Wait mine = new Wait(System.nanoTime());
        wait.set(mine);
        Runnable end = () -> {
            if (left.decrementAndGet() == 0) {
                goOn(mine);
            }
        };
        for (OperationBatch.Effect effect : effects) {
            parts.apply(effect.tube().stored(), effect.tube().isListenedTo(), () -> run(effect, end));
        }
        end.run();
    }

    private static void run(OperationBatch.Effect effect, Runnable end) {
        try {
            effect.tube().swept(effect.done());
        } catch (RuntimeException e) {
            Log.LOG.pieceFailed("apply the effects of a batch", TaskFailure.summary(e));
        } finally {
            end.run();
        }
    }

    private void goOn(Wait ended) {
        if (wait.compareAndSet(ended, null)) {
            background.execute(this::run);
        }
    }

    /** Runs the next batch. Returns its effects; empty if no operation is left for this server. */
    private Optional<List<OperationBatch.Effect>> next() {
        wasLocked = false;
        int node = parts.number();
        try (OpenStore store = parts.access().store().onOwnConnection(LOCK_TIMEOUT, NETWORK_TIMEOUT)) {
            Operations operations = store.operations();
            try {
                if (current == 0 && !take(operations, node)) {
                    return Optional.empty();
                }
                OperationBatch.Done done = batches.run(current, node, store);
                if (!done.isMore()) {
                    over(operations);
                }
                return Optional.of(done.effects());
            } catch (RuntimeException e) {
                wasLocked = operations.isLocked(e);
                throw e;
            }
        }
    }

    private boolean take(Operations operations, int node) {
        current = operations.take(node, parts.name()).orElse(0L);
        if (current != 0) {
            Log.LOG.operationBegins(current, parts.name());
        }
        return current != 0;
    }

    /** Forgets the present operation. It has ended, or another server runs it. */
    private void over(Operations operations) {
        long id = current;
        current = 0;
        failures = 0;
        try {
            operations
                    .find(id)
                    .filter(operation -> operation.state().isEnded())
                    .ifPresent(operation ->
                            Log.LOG.operationEnded(id, operation.state(), operation.changed(), operation.skipped()));
        } catch (RuntimeException e) {
            // The effects of the last batch must follow all the same
            Log.LOG.leftForLater("log the end of operation " + id, TaskFailure.summary(e));
        }
    }

    private void failed(Throwable e) {
        String why = TaskFailure.summary(e);
        if (isPassing(e)) {
            Log.LOG.leftForLater("run operations", why);
        } else if (current == 0) {
            if (throttle.isNew(why)) {
                Log.LOG.pieceFailed("look for operations", why);
            }
        } else {
            failures = Math.min(failures + 1, MAX_FAILURES);
            Log.LOG.batchFailed(current, pause, failures, MAX_FAILURES, why);
            if (failures == MAX_FAILURES) {
                Operations operations = parts.access().operations();
                operations.fail(current, parts.number(), why);
                over(operations);
                pause = FIRST_PAUSE;
            }
        }
    }

    /** Returns whether a failure says nothing about the operation: the database is away, or a lock is kept. */
    private boolean isPassing(Throwable e) {
        return wasLocked
                || e instanceof AdapterNotRunningException
                || parts.state() != AdapterState.RUNNING
                || (e instanceof StoreException failed && failed.isDatabaseAway());
    }

    private static Duration longer(Duration pause) {
        Duration next = pause.multipliedBy(2);
        return next.compareTo(LAST_PAUSE) < 0 ? next : LAST_PAUSE;
    }
}
