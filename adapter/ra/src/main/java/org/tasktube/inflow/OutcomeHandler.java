package org.tasktube.inflow;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tasktube.Fingerprint;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskTubeException;
import org.tasktube.inflow.Prefetch.Claimed;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Change;
import org.tasktube.tube.HeldTasks;

/**
 * Applies a delivery's outcome to its task, and logs it. A failed task is released with a delay or buried. A task that
 * was not delivered returns, and its attempt does not count. If the database refuses a write, the write is deferred.
 */
final class OutcomeHandler {

    /** The class of the SQL states of refused values. */
    private static final String DATA_EXCEPTION = "22";

    private static final Pattern NOT_ASCII = Pattern.compile("[^\\x00-\\x7F]");

    private final String bean;
    private final DeliveryPolicy policy;
    private final ClientConnection client;
    private final DeferredWrites deferred;
    private final Throttle throttle;
    private final GatheredAcks acks;

    /** The effects of an outcome on later deliveries. */
    interface Throttle {

        /** Ends the growth of pauses, because a delivery succeeded. */
        void resume();

        /** Begins a pause in claiming, and returns its length; empty if one has begun already. */
        Optional<Duration> pause();

        /** Lowers the number of sessions by one that found no instance of the bean. Returns the new limit. */
        int lowerLimit();

        /** Returns whether another delivery of the bean runs. */
        boolean othersRun();

        /** Wakes the claim loop, because a write was deferred. */
        void deferred();
    }

    OutcomeHandler(
            String bean, DeliveryPolicy policy, ClientConnection client, DeferredWrites deferred, Throttle throttle) {
        this.bean = bean;
        this.policy = policy;
        this.client = client;
        this.deferred = deferred;
        this.throttle = throttle;
        this.acks = new GatheredAcks(
                client,
                policy,
                throttle::othersRun,
                task -> guarded(() -> ack(task)),
                task -> guarded(() -> ackLater(task)));
    }

    /** Follows a delivery of one task, or one of several that they share: it succeeded, or the bean was not called. */
    void handle(List<Claimed> batch, DeliveryOutcome outcome) {
        if (outcome instanceof DeliveryOutcome.Failed failed) {
            batch.forEach(each -> failed(each, failed.why()));
        } else if (outcome instanceof DeliveryOutcome.NotDelivered not) {
            notDelivered(batch, not);
        } else if (outcome instanceof DeliveryOutcome.Lost lost) {
            batch.forEach(each -> guarded(() -> Log.LOG.lost(each.task().id(), lost.why())));
        } else if (outcome instanceof DeliveryOutcome.ToAck toAck) {
            throttle.resume();
            ack(batch, toAck);
        } else {
            throttle.resume();
        }
    }

    private void ack(List<Claimed> batch, DeliveryOutcome.ToAck toAck) {
        List<Claimed> done = toAck.tasks().size() == batch.size() ? batch : those(batch, toAck.tasks());
        if (toAck.gathered()) {
            acks.ack(done);
        } else {
            done.forEach(each -> guarded(() -> ack(each)));
        }
    }

    private static List<Claimed> those(List<Claimed> batch, List<Task> tasks) {
        Set<Long> ids = tasks.stream().map(Task::id).collect(Collectors.toSet());
        return batch.stream().filter(each -> ids.contains(each.task().id())).toList();
    }

    /**
     * Begins the ttr of a task of a failed batch again, before the delivery of its own. Returns false if another
     * consumer has it by now, or it is gone.
     */
    boolean beginAgain(Claimed claimed) {
        Task task = claimed.task();
        boolean isHeld = claimed.tube().held().beginAgain(client.session(), task);
        if (!isHeld) {
            guarded(() -> Log.LOG.lost(task.id(), Delivery.lost(claimed.tube(), task)));
        }
        return isHeld;
    }

    /** Logs the failure of a batch whose tasks are delivered again. */
    void logSplit(List<Claimed> batch, DeliveryOutcome outcome) {
        String why = outcome instanceof DeliveryOutcome.Failed failed
                ? TaskFailure.summary(failed.why())
                : ((DeliveryOutcome.Lost) outcome).why();
        guarded(() -> Log.LOG.batchFailed(batch.get(0).tube().name(), batch.size(), why));
        if (outcome instanceof DeliveryOutcome.Failed failed) {
            guarded(() -> Log.LOG.thrown(TaskFailure.describe(failed.why())));
        }
    }

    private void ackLater(Claimed claimed) {
        deferred.add(() -> claimed.tube().held().ackDelivered(client.session(), claimed.task()));
        throttle.deferred();
    }

    private void ack(Claimed claimed) {
        Task task = claimed.task();
        boolean isHeld = writeOrDefer(() -> claimed.tube().held().ackDelivered(client.session(), task));
        if (!isHeld) {
            String why = Delivery.lost(claimed.tube(), task) + "; if it is still there, it is delivered again";
            guarded(() -> Log.LOG.lost(task.id(), why));
        }
    }

    private void failed(Claimed claimed, Throwable failure) {
        Task task = claimed.task();
        Optional<Duration> delay = policy.retry()
                .delayAfter(
                        task.attempts(), failure, ThreadLocalRandom.current().nextDouble());
        TaskFailure kept = TaskFailure.of(failure);
        boolean isHeld = writeOrDefer(() -> write(claimed, kept, delay));
        guarded(() -> logFailure(task, failure, delay, isHeld));
    }

    /**
     * Writes a failure. If the database refuses its text, writes it without the characters that the database's encoding
     * may lack, because no retry would help.
     */
    private boolean write(Claimed claimed, TaskFailure failure, Optional<Duration> delay) {
        HeldTasks held = claimed.tube().held();
        try {
            return held.applyOutcome(client.session(), claimed.task(), Change.failed(failure, delay));
        } catch (StoreException e) {
            if (!isOfData(e)) {
                throw e;
            }
            return held.applyOutcome(client.session(), claimed.task(), Change.failed(ascii(failure), delay));
        }
    }

    /** Returns a failure with ASCII texts. The id of its kind stays. */
    private static TaskFailure ascii(TaskFailure failure) {
        Fingerprint kind = failure.fingerprint();
        return new TaskFailure(
                ascii(failure.type()),
                ascii(failure.message()),
                ascii(failure.trace()),
                new Fingerprint(
                        kind.id(),
                        ascii(kind.type()),
                        ascii(kind.cause()),
                        ascii(kind.frame()),
                        ascii(kind.message())));
    }

    private static boolean isOfData(StoreException e) {
        return TaskFailure.causes(e).stream()
                .anyMatch(cause -> cause instanceof SQLException sql
                        && String.valueOf(sql.getSQLState()).startsWith(DATA_EXCEPTION));
    }

    private static String ascii(String text) {
        return NOT_ASCII.matcher(text).replaceAll("?");
    }

    private static void logFailure(Task task, Throwable failure, Optional<Duration> delay, boolean isHeld) {
        String why = TaskFailure.summary(failure);
        if (!isHeld) {
            Log.LOG.failedUnheld(task.tube(), task.id(), task.attempts(), why);
        } else if (delay.isPresent()) {
            Log.LOG.failed(task.tube(), task.id(), task.attempts(), delay.get(), why);
        } else {
            Log.LOG.buried(task.tube(), task.id(), task.attempts(), why);
        }
        Log.LOG.thrown(TaskFailure.describe(failure));
    }

    private void notDelivered(List<Claimed> batch, DeliveryOutcome.NotDelivered not) {
        if (batch.isEmpty()) {
            // The bean has ended them all before it was refused something
            return;
        }
        Claimed first = batch.get(0);
        returnUnstarted(batch);
        String why = TaskFailure.summary(not.why());
        switch (not.refusal()) {
            case NO_BEAN -> {
                Optional<Duration> paused = throttle.pause();
                guarded(() -> paused.ifPresent(time -> Log.LOG.unavailable(bean, policy.tube(), time, why)));
            }
            case NO_INSTANCE -> {
                int left = throttle.lowerLimit();
                guarded(() -> Log.LOG.noInstance(bean, policy.tube(), policy.maxSession(), left, why));
            }
            case ADAPTER_AWAY -> guarded(() -> Log.LOG.adapterAway(first.task().id(), policy.tube(), why));
            case NO_CONNECTION -> {
                Optional<Duration> paused = throttle.pause();
                guarded(() -> paused.ifPresent(
                        time -> Log.LOG.noConnection(bean, first.task().id(), policy.tube(), time, why)));
            }
        }
        guarded(() -> Log.LOG.thrown(TaskFailure.describe(not.why())));
    }

    /** Returns tasks of one tube that the bean did not get. Their attempts do not count. */
    void returnUnstarted(List<Claimed> batch) {
        List<Task> tasks = batch.stream().map(Claimed::task).toList();
        writeOrDefer(() -> {
            batch.get(0).tube().held().returnUnstarted(client.session(), tasks);
            return true;
        });
    }

    /** Returns whether the write found its task as expected. A deferred write counts as such. */
    private boolean writeOrDefer(BooleanSupplier write) {
        try {
            return write.getAsBoolean();
        } catch (Throwable e) {
            deferred.add(() -> {
                boolean unused = write.getAsBoolean();
            });
            if (!(e instanceof TaskTubeException)) {
                guarded(() -> Log.LOG.thrown(TaskFailure.summary(e)));
            }
            throttle.deferred();
            return true;
        }
    }

    /** Runs a step on which no task depends. Its exception does not prevent the next step. */
    static void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            try {
                Log.LOG.thrown(TaskFailure.summary(e));
            } catch (RuntimeException | Error again) {
                // Without memory the log fails, too
                Thread.onSpinWait();
            }
        }
    }
}
