package org.tasktube.node.admin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.TaskFailure;
import org.tasktube.admin.OperationState;
import org.tasktube.node.LogThrottle;
import org.tasktube.node.NodeParts;
import org.tasktube.store.OpenStore;
import org.tasktube.store.Operations;

/**
 * Runs operations on this server, one after the other. A batch is one piece of work of the background thread, which
 * does other work between two batches. The row of an operation names the server that runs it. If that server has
 * stopped or died, or made no batch for a minute, another one goes on after the last batch that was committed.
 */
final class OperationRunner {

    /** The wait for the lock of an operation's row, which only a cancellation keeps. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration NETWORK_TIMEOUT = Duration.ofSeconds(15);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(10);

    /** The failures of a batch in a row after which the operation is FAILED. An absent database does not count. */
    private static final int MAX_FAILURES = 8;

    private final NodeParts parts;
    private final Executor background;
    private final OperationBatch batches;
    private final LogThrottle throttle = new LogThrottle();
    private final AtomicInteger wanted = new AtomicInteger();

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

    /** Looks for an operation on the background thread, and runs it: one may have become free for this server. */
    void soon() {
        if (wanted.getAndIncrement() == 0) {
            background.execute(this::run);
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
        Runnable end = () -> {
            if (left.decrementAndGet() == 0) {
                background.execute(this::run);
            }
        };
        for (OperationBatch.Effect effect : effects) {
            parts.apply(effect.tube().stored(), effect.tube().isListenedTo(), () -> effect.run(end));
        }
        end.run();
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
        operations
                .find(current)
                .filter(operation -> operation.state().isEnded())
                .ifPresent(operation ->
                        Log.LOG.operationEnded(current, operation.state(), operation.changed(), operation.skipped()));
        current = 0;
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
                operations.end(current, OperationState.FAILED, Optional.empty(), Optional.of(why));
                over(operations);
                failures = 0;
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
