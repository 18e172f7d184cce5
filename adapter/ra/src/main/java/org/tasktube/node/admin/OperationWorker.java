package org.tasktube.node.admin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeMode;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationState;
import org.tasktube.node.LogThrottle;
import org.tasktube.node.MaintenanceQueue;
import org.tasktube.node.OwnTubes;
import org.tasktube.node.Settings;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.TubeDirectory;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Change;
import org.tasktube.store.OpenStore;
import org.tasktube.store.Transition;
import org.tasktube.tube.TubeEngine;

/**
 * Runs operations on this server, one after the other, on one thread. The thread exists only while the tube of the
 * operations has a task for it. It takes the task, sends heartbeats for it, and acks it at the end of the operation. If
 * this server dies, its task becomes READY, and another server goes on.
 */
final class OperationWorker implements Runnable {

    /** The time for which rows of ended operations are kept. */
    static final Duration RETENTION = Duration.ofDays(90);

    /** The wait for the lock of an operation's row, which only a cancellation keeps. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    private static final Duration NETWORK_TIMEOUT = Duration.ofSeconds(15);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(10);

    private static final Duration END_PATIENCE = Duration.ofSeconds(2);

    /** The pause until the next look for an operation that cannot begin yet. */
    private static final Duration NOT_YET = Duration.ofSeconds(1);

    /** The failures of a batch in a row after which the operation is FAILED. An absent database does not count. */
    private static final int MAX_FAILURES = 8;

    private final Settings settings;
    private final StoreAccess access;
    private final TubeDirectory directory;
    private final Consumer<ClientConnection> close;
    private final MaintenanceQueue queue;
    private final LogThrottle throttle = new LogThrottle();
    private volatile Consumer<Runnable> threads = OperationWorker::startThread;
    private boolean wanted;
    private boolean running;
    private boolean ended;

    /** @param close closes a connection, which releases its tasks */
    OperationWorker(
            Settings settings,
            StoreAccess access,
            TubeDirectory directory,
            MaintenanceQueue queue,
            Consumer<ClientConnection> close) {
        this.settings = settings;
        this.access = access;
        this.directory = directory;
        this.queue = queue;
        this.close = close;
    }

    private static void startThread(Runnable work) {
        Thread thread = new Thread(work, "tasktube-operations");
        thread.setDaemon(true);
        thread.start();
    }

    /** Sets what starts the thread. It must not wait. */
    void startBy(Consumer<Runnable> starter) {
        threads = starter;
    }

    /** Starts the thread, unless it runs: the tube of the operations may have a READY task. */
    void wake() {
        synchronized (this) {
            wanted = true;
            if (running || ended) {
                return;
            }
            running = true;
        }
        try {
            threads.accept(this);
        } catch (RuntimeException | Error e) {
            // For example of a virtual machine without a thread
            notDone("start the thread of the operations", e);
            stopped();
        }
    }

    private void notDone(String what, Throwable e) {
        String why = TaskFailure.summary(e);
        if (e instanceof AdapterNotRunningException
                || (e instanceof StoreException failed && failed.isDatabaseAway())) {
            Log.LOG.leftForLater(what, why);
        } else if (throttle.isNew(why)) {
            Log.LOG.pieceFailed(what, why);
        }
    }

    /** Starts the thread if the last count has found a READY operation. Uses no database. */
    void wakeIfCounted() {
        boolean hasReady = directory.known().stream()
                .filter(tube -> OwnTubes.isOwn(tube.definition()))
                .anyMatch(tube -> tube.statistics().ready() > 0);
        if (hasReady) {
            wake();
        }
    }

    /** Ends the thread after the present batch. Waits up to 2 s for it, so that its task is released in time. */
    synchronized void end() {
        ended = true;
        notifyAll();
        long limit = System.nanoTime() + END_PATIENCE.toNanos();
        try {
            for (long left = END_PATIENCE.toNanos(); running && left > 0; left = limit - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean hasEnded() {
        return ended;
    }

    @Override
    public void run() {
        ClientConnection client = new ClientConnection();
        boolean over = false;
        try {
            while (isWanted()) {
                work(client);
            }
            over = true;
        } catch (InterruptedException e) {
            // Only the end of the server's thread interrupts it. Nothing more may be done on such a thread.
            Thread.currentThread().interrupt();
        } finally {
            if (!over) {
                stopped();
            }
            closeIfRunning(client);
        }
    }

    /**
     * Follows a thread that did not begin, or that an interrupt or an Error has ended. While the flag says that it
     * runs, no call starts another one.
     */
    private void stopped() {
        synchronized (this) {
            running = false;
            notifyAll();
        }
        queue.executeIn(NOT_YET, this::wake);
    }

    private synchronized boolean isWanted() {
        boolean more = wanted && !ended;
        wanted = false;
        running = more;
        notifyAll();
        return more;
    }

    private void closeIfRunning(ClientConnection client) {
        if (Thread.currentThread().isInterrupted()) {
            return;
        }
        try {
            close.accept(client);
        } catch (RuntimeException e) {
            Log.LOG.leftForLater("close the connection of the operations", TaskFailure.summary(e));
        }
    }

    /** Runs operations until none is READY. */
    private void work(ClientConnection client) throws InterruptedException {
        Duration pause = FIRST_PAUSE;
        boolean more = true;
        while (more && !hasEnded()) {
            try {
                more = next(client);
                pause = FIRST_PAUSE;
            } catch (RuntimeException | Error e) {
                // An Error must not end the thread while the flag says that it runs: no operation would run here any
                // more
                notDone("look for operations", e);
                pause = pause(pause);
            }
        }
    }

    /** Runs the next operation. Returns false if none is READY. */
    private boolean next(ClientConnection client) throws InterruptedException {
        Optional<TubeEngine> tube = directory.find(Operation.TUBE).filter(found -> OwnTubes.isOwn(found.definition()));
        if (tube.isEmpty()) {
            return false;
        }
        List<Task> claimed = tube.get().claimOn(client, 1, Long.MAX_VALUE);
        if (!claimed.isEmpty()) {
            try (Run run = new Run(tube.get(), client, claimed.get(0))) {
                run.run();
            }
            return true;
        }
        if (tube.get().statistics().mode() == TubeMode.PAUSED
                && access.tasks(false)
                        .reads()
                        .first(tube.get().stored(), TaskState.READY)
                        .isPresent()) {
            pause(NOT_YET);
            return true;
        }
        return false;
    }

    /** Waits, and returns the next pause, which is twice as long. */
    private synchronized Duration pause(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0 && !ended; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        Duration next = time.multipliedBy(2);
        return next.compareTo(LAST_PAUSE) < 0 ? next : LAST_PAUSE;
    }

    /** The run of one operation on this server. */
    private final class Run implements AutoCloseable {

        private final TubeEngine tube;
        private final ClientConnection client;
        private final Task task;

        /** The store on a connection of this run; null before the first use, and after a failure. */
        private OpenStore open;

        private OperationBatch batch;
        private long beatAt = System.nanoTime();
        private boolean begun;

        Run(TubeEngine tube, ClientConnection client, Task task) {
            this.tube = tube;
            this.client = client;
            this.task = task;
        }

        /** Returns the store. After an outage the adapter may have opened another one, and closed the former. */
        private OpenStore store() {
            if (open == null) {
                open = access.store().onOwnConnection(LOCK_TIMEOUT, NETWORK_TIMEOUT);
                batch = new OperationBatch(task.id(), open, settings, directory);
            }
            return open;
        }

        @Override
        public void close() {
            OpenStore last = open;
            open = null;
            if (last != null) {
                last.close();
            }
        }

        void run() throws InterruptedException {
            Duration pause = FIRST_PAUSE;
            int failures = 0;
            while (!hasEnded()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                try {
                    if (failures >= MAX_FAILURES || !step()) {
                        return;
                    }
                    failures = 0;
                    pause = FIRST_PAUSE;
                } catch (RuntimeException | Error e) {
                    if (Thread.currentThread().isInterrupted()) {
                        throw new InterruptedException();
                    }
                    close();
                    if (isPassing(e)) {
                        Log.LOG.leftForLater("continue operation " + task.id(), TaskFailure.summary(e));
                    } else {
                        failures++;
                        failed(e, failures, pause);
                    }
                    pause = pause(pause);
                }
            }
            change(Change.of(Transition.RELEASE));
        }

        /** Makes the next step. Returns false if the work of this server on the operation is over. */
        private boolean step() {
            if (!beat()) {
                return false;
            }
            if (!begun && !store().operations().begin(task.id(), settings.nodeName())) {
                notBegun();
                return false;
            }
            if (!begun) {
                begun = true;
                Log.LOG.operationBegins(task.id(), settings.nodeName());
            }
            store();
            OperationBatch.Outcome outcome = batch.run();
            if (outcome == OperationBatch.Outcome.MORE) {
                return true;
            }
            over();
            return false;
        }

        /** Sends a heartbeat if it is time. Returns false if this server has lost the task. */
        private boolean beat() {
            if (System.nanoTime() - beatAt < OperationDesk.TTR.toNanos() / 3) {
                return true;
            }
            beatAt = System.nanoTime();
            return change(Change.of(Transition.HEARTBEAT));
        }

        /** The operation has ended already, or an earlier one has not. */
        private void notBegun() {
            boolean waits = store().operations()
                    .find(task.id())
                    .filter(operation -> !operation.state().isEnded())
                    .isPresent();
            if (waits) {
                change(Change.release(NOT_YET, Optional.empty()));
            } else {
                ack();
            }
        }

        /**
         * Changes the task of the operation, on a connection of the pool. This run returns its own one before: in a
         * small pool it would wait for itself.
         */
        private boolean change(Change change) {
            close();
            return tube.held().apply(client.session(), task, change);
        }

        /** Acks the task of the operation, in the same manner. */
        private void ack() {
            close();
            tube.held().ackDelivered(client.session(), task);
        }

        private void over() {
            store().operations()
                    .find(task.id())
                    .ifPresent(operation -> Log.LOG.operationEnded(
                            task.id(), operation.state(), operation.changed(), operation.skipped()));
            ack();
            removeOld();
        }

        /** A failure here says nothing about the operation, which has ended. The end of the next one tries again. */
        private void removeOld() {
            try {
                store().operations().removeEnded(RETENTION);
            } catch (TaskTubeException e) {
                Log.LOG.pieceFailed("remove the rows of old operations", e.getMessage());
            }
        }

        /** Returns whether a failure says nothing about the operation: the database is away, or a lock is kept. */
        private boolean isPassing(Throwable e) {
            return e instanceof AdapterNotRunningException
                    || (e instanceof StoreException failed && failed.isDatabaseAway())
                    || (e instanceof RuntimeException failure
                            && open != null
                            && open.operations().isLocked(failure));
        }

        private void failed(Throwable e, int failures, Duration pause) {
            String why = TaskFailure.summary(e);
            Log.LOG.batchFailed(task.id(), pause, failures, MAX_FAILURES, why);
            if (failures >= MAX_FAILURES) {
                store().operations().end(task.id(), OperationState.FAILED, Optional.empty(), Optional.of(why));
                over();
            }
        }
    }
}
