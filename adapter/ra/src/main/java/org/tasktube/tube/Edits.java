package org.tasktube.tube;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.tasktube.PutOptions;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskOrder;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.WrongStateException;
import org.tasktube.admin.EditedTask;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.spi.TubeOption;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.Transactions;

/** Puts an edited form of a task in the place of the task, in the caller's transaction. */
public record Edits(TubeEngine tube, Transactions transactions) {

    private static final String NEEDED = "READY, DELAYED, BURIED or DONE";

    /** See {@link TaskAdmin#retryEdited}. */
    public Task retry(long id, EditedTask edited) {
        if (!transactions.active()) {
            throw new IllegalStateException("an edited task is put and the old one removed in one JTA transaction, and"
                    + " this thread has none; begin one by UserTransaction or @Transactional");
        }
        Task old = tube.find(id).orElseThrow(() -> new TaskNotFoundException(tube.name(), id));
        TaskMeta meta = tube.meta(id).orElseThrow(() -> new TaskNotFoundException(tube.name(), id));
        checkNotTaken(id, meta.state());
        boolean waits = meta.state() == TaskState.DELAYED && meta.event().isEmpty();
        if (waits
                && !edited.keepOld()
                && edited.delay().filter(delay -> !delay.isZero()).isPresent()) {
            throw new IllegalArgumentException("delay " + edited.delay().get() + " is set for task " + id
                    + ", which waits for others and is READY when they have ended; leave it out");
        }
        // Checked before the removal, so that a refused option changes nothing
        PutOptions options = options(old, meta, edited);
        Optional<String> key = edited.keepOld() ? Optional.empty() : meta.uniqueKey();
        NewTask plan = tube.plan(edited.data().orElseGet(old::data), options, key)
                .withHeaders(Map.of(TaskAdmin.EDITED_FROM, tube.name() + "/" + id));
        if (edited.keepOld()) {
            return put(plan, options);
        }
        remove(id);
        Task task = put(plan, options);
        tube.move(id, task.id(), waits);
        return waits ? tube.find(task.id()).orElse(task) : task;
    }

    private void checkNotTaken(long id, TaskState state) {
        if (state == TaskState.TAKEN) {
            throw new WrongStateException(tube.name(), id, state, NEEDED);
        }
    }

    /** A take may have committed since the check. Its holder's task must not be removed. */
    private void remove(long id) {
        TaskState state = tube.delete(id).orElseThrow(() -> new TaskNotFoundException(tube.name(), id));
        if (state == TaskState.TAKEN) {
            transactions.setRollbackOnly();
        }
        checkNotTaken(id, state);
    }

    private Task put(NewTask plan, PutOptions options) {
        Put put = tube.put(List.of(plan), List.of(options));
        switch (put.outcome()) {
            case DONE, TAKEN -> {
                return tube.toTask(put.id(), plan);
            }
            case FULL -> {
                transactions.setRollbackOnly();
                throw new RefusalReason(tube).full();
            }
            default -> {
                transactions.setRollbackOnly();
                throw new StoreException(
                        "the edited task was not put, because another task got its unique key; edit the task again",
                        null);
            }
        }
    }

    private PutOptions options(Task old, TaskMeta meta, EditedTask edited) {
        return new PutOptions(
                edited.pri().isEmpty() && has(TubeOption.PRI) ? OptionalInt.of(old.pri()) : edited.pri(),
                edited.ttl()
                        .or(() -> meta.ttl().filter(ttl -> has(TubeOption.TTL)).map(Edits::capped)),
                edited.ttr().or(() -> meta.ttr().filter(ttr -> has(TubeOption.TTR))),
                edited.delay().or(() -> has(TubeOption.DELAY) ? Optional.of(Duration.ZERO) : Optional.empty()),
                edited.utube().or(old::utube),
                false,
                edited.headers().orElseGet(() -> own(old.headers())),
                Optional.empty(),
                TaskOrder.NONE);
    }

    private boolean has(TubeOption option) {
        return tube.type().has(option);
    }

    /** A delay adds to the ttl, so the whole ttl of a task can be longer than that of a put. */
    private static Duration capped(Duration ttl) {
        return ttl.compareTo(TubeDefinition.MAX_DURATION) > 0 ? TubeDefinition.MAX_DURATION : ttl;
    }

    private static Map<String, String> own(Map<String, String> headers) {
        Map<String, String> own = new LinkedHashMap<>(headers);
        own.keySet().removeIf(name -> name.startsWith(PutOptions.RESERVED_HEADERS));
        return own;
    }
}
