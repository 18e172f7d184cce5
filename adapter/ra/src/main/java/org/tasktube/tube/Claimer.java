package org.tasktube.tube;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.session.Session;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Transition;
import org.tasktube.store.Transitioned;
import org.tasktube.store.sql.TaskStore;

/** Takes tasks of one tube for sessions, and makes a session the holder of the tasks that it claimed. */
final class Claimer {

    /** The most claims that follow one for tasks that became READY before its position. */
    private static final int MOST_AGAIN = 3;

    private final TubeContext context;
    private final TubeRuntime runtime;

    Claimer(TubeContext context, TubeRuntime runtime) {
        this.context = context;
        this.runtime = runtime;
    }

    /**
     * Takes up to {@code max} tasks. In a transaction, promotes heads first, so that it also finds tasks whose
     * predecessors have ended since.
     */
    List<Task> claim(Session session, int max) {
        if (runtime.stored().subQueues() && context.transactions().active() && !isPaused()) {
            promoteHeads();
        }
        return tasks(claim(session, ClaimRange.of(OrderKey.START, max)));
    }

    /** Returns whether a claim would find nothing for that reason, so that it need not be sent. */
    private boolean isPaused() {
        return runtime.mode().here().isPaused();
    }

    /** Promotes the heads of sub-queues, in a transaction of its own. */
    void promoteHeads() {
        context.server().outsideTransaction(() -> {
            store().promoteHeads(runtime.stored());
            return null;
        });
    }

    /**
     * Takes up to {@code max} tasks, from the end of the last such claim on, and as many again while tasks become READY
     * before that: they come first. A claim of sub-queues may itself make tasks READY before that.
     */
    List<Task> claimOn(Session session, int max, long maxBytes) {
        ScanCursor cursor = runtime.cursor();
        ScanCursor.Reading reading = cursor.begin();
        List<ClaimedTask> claimed = claimOn(reading, session, max, maxBytes);
        boolean mayHavePromoted = claimed.isEmpty() && runtime.stored().subQueues();
        if (mayHavePromoted && !reading.after().equals(OrderKey.START)) {
            cursor.back();
            claimed = claimOn(cursor.begin(), session, max, maxBytes);
        }
        for (int again = 0; reading.hasMissed() && again < MOST_AGAIN; again++) {
            reading = cursor.begin();
            claimed = withMissed(claimed, reading, session, max, maxBytes);
        }
        return tasks(claimed);
    }

    /** Claims more. If that fails, so will the next claim, and these tasks are held already. */
    private List<ClaimedTask> withMissed(
            List<ClaimedTask> claimed, ScanCursor.Reading reading, Session session, int max, long maxBytes) {
        try {
            return Stream.concat(claimed.stream(), claimOn(reading, session, max, maxBytes).stream())
                    .sorted(Comparator.comparing(ClaimedTask::key))
                    .toList();
        } catch (RuntimeException | Error e) {
            return claimed;
        }
    }

    private List<ClaimedTask> claimOn(ScanCursor.Reading reading, Session session, int max, long maxBytes) {
        try (reading) {
            List<ClaimedTask> claimed = claim(session, new ClaimRange(reading.after(), max, maxBytes));
            if (!claimed.isEmpty()) {
                reading.reached(claimed.get(claimed.size() - 1).key());
            }
            return claimed;
        }
    }

    private static List<Task> tasks(List<ClaimedTask> claimed) {
        return claimed.stream().map(ClaimedTask::task).toList();
    }

    private List<ClaimedTask> claim(Session session, ClaimRange range) {
        TaskStore store = store();
        if (isPaused()) {
            return List.of();
        }
        long token = context.claims().begin();
        try {
            Holder holder = new Holder(session.id(), context.server().number(), session.bean());
            List<ClaimedTask> claimed = store.claim(runtime.stored(), holder, token, range);
            if (runtime.stored().definition().takeLimits().maxRate().isPresent()) {
                store.nextTurn(runtime.stored()).ifPresent(runtime::wakeIn);
                runtime.wakeAtEnd();
            }
            if (claimed.isEmpty()) {
                context.claims().ended(token);
            } else {
                claimed(session, token, claimed);
            }
            return claimed;
        } catch (RuntimeException | Error e) {
            // Also if the transaction ended between the claim and the wait for its commit
            context.claims().lost(token, true);
            throw e;
        }
    }

    private void claimed(Session session, long token, List<ClaimedTask> claimed) {
        runtime.wakeAfterRollback(claimed.size());
        hold(session, token, () -> claimed);
        effects(claimed).register();
    }

    /**
     * Makes a session the holder of tasks from the commit of the caller's transaction on. The token of a transaction
     * without a commit counts as lost.
     */
    void hold(Session session, long token, Supplier<List<ClaimedTask>> taken) {
        context.holders().know(session);
        AtomicBoolean committed = new AtomicBoolean();
        context.transactions().afterCommit(() -> {
            long now = System.nanoTime();
            taken.get().forEach(task -> {
                session.holds(runtime.stored(), task.task(), now);
                runtime.counters().waited(task);
            });
            committed.set(true);
            context.claims().ended(token);
            if (session.hasEnded()) {
                context.holders().tookLate(session);
            }
        });
        context.transactions().atEnd(() -> {
            if (!committed.get()) {
                // The database may have committed a transaction that the transaction manager takes for rolled back
                context.claims().lost(token, false);
            }
        });
    }

    private AfterCommit effects(List<ClaimedTask> claimed) {
        List<Task> tasks = tasks(claimed);
        Optional<Duration> untilTtr =
                claimed.stream().flatMap(task -> task.ttr().stream()).min(Comparator.naturalOrder());
        List<Long> ids = tasks.stream().map(Task::id).toList();
        return new AfterCommit(runtime)
                .transitioned(
                        new Transitioned(Transition.TAKE, TaskState.READY, ids.size(), ids, List.of(), untilTtr),
                        () -> tasks);
    }

    private TaskStore store() {
        return context.server().tasks(runtime.stored());
    }
}
