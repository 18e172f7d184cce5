package org.tasktube.console.audit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.tasktube.admin.AuditAct;

/**
 * Writes rows one after the other, on a thread that may wait for a connection. The request of a row waits for it for a
 * short time only: without a free connection it has waited long enough for its act.
 */
final class RowQueue {

    /** The most rows that wait. */
    static final int MOST = 1_000;

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Consumer<AuditAct> writer;
    private final Executor executor;
    private final Duration patience;
    private final Queue<Row> waiting = new ArrayDeque<>();
    private boolean working;
    private boolean closed;

    private record Row(AuditAct act, CompletableFuture<Void> ended) {}

    /** @param writer writes a row; it may fail */
    RowQueue(Consumer<AuditAct> writer, Executor executor) {
        this(writer, executor, PATIENCE);
    }

    RowQueue(Consumer<AuditAct> writer, Executor executor, Duration patience) {
        this.writer = writer;
        this.executor = executor;
        this.patience = patience;
    }

    /** Adds a row. Returns when it is written, or has failed, or after a short time. */
    void add(AuditAct act) {
        Row row = new Row(act, new CompletableFuture<>());
        if (!enters(row)) {
            return;
        }
        try {
            row.ended.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            Log.LOG.rowWaits(AuditLog.quoted(act.who()), AuditLog.quoted(act.act()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean enters(Row row) {
        synchronized (this) {
            if (closed || waiting.size() >= MOST) {
                missing(row.act, closed ? "the console stops" : MOST + " rows wait for the database");
                return false;
            }
            waiting.add(row);
            if (working) {
                return true;
            }
            working = true;
        }
        try {
            executor.execute(this::work);
        } catch (RuntimeException | Error e) {
            // The server refuses while its pool is full, while it stops, or without memory for a thread
            giveUp("no thread writes it: " + e);
        }
        return true;
    }

    private void work() {
        for (Row row = next(); row != null; row = next()) {
            try {
                writer.accept(row.act);
            } catch (RuntimeException | Error e) {
                // A failure that leaves this method would end the writing of all further rows
                missing(row.act, String.valueOf(e.getMessage()));
            } finally {
                row.ended.complete(null);
            }
        }
    }

    private synchronized Row next() {
        Row row = waiting.poll();
        working = row != null;
        return row;
    }

    /** Ends the queue. The rows that still wait are missing. */
    synchronized void close() {
        closed = true;
        giveUp("the console stops");
    }

    /** Gives up the rows that wait. The next row asks for a thread again. */
    private synchronized void giveUp(String reason) {
        for (Row row : waiting) {
            missing(row.act, reason);
            row.ended.complete(null);
        }
        waiting.clear();
        working = false;
    }

    private static void missing(AuditAct act, String reason) {
        Log.LOG.rowMissing(
                AuditLog.quoted(act.who()),
                AuditLog.quoted(act.act()),
                AuditLog.quoted(act.tube().orElse("")),
                AuditLog.quoted(act.task().orElse("")),
                act.status(),
                reason);
    }
}
