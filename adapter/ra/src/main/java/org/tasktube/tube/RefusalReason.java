package org.tasktube.tube;

import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeFullException;
import org.tasktube.WrongStateException;
import org.tasktube.session.Session;

/** Finds the reason why an operation did not apply: it looks the task up, and returns the matching exception. */
final class RefusalReason {

    private final TubeEngine tube;

    RefusalReason(TubeEngine tube) {
        this.tube = tube;
    }

    TaskNotFoundException notFound(long id) {
        return new TaskNotFoundException(tube.name(), id);
    }

    /** Returns the exception for an operation of a session that does not hold the task. */
    TaskTubeException notHeld(Session session, Task task) {
        tube.held().forget(session, task);
        Optional<UUID> holder = tube.holder(task.id());
        if (holder.isPresent()) {
            return new TaskTakenByAnotherException(tube.name(), task.id(), holder.get(), session.id());
        }
        return tube.find(task.id())
                .<TaskTubeException>map(now -> new TaskNotTakenException(tube.name(), now.id(), now.state()))
                .orElseGet(() -> notFound(task.id()));
    }

    /** Returns the exception for an operation on several tasks, of which the session does not hold one at least. */
    TaskTubeException notAllHeld(Session session, Collection<Task> tasks) {
        return tasks.stream()
                .filter(task -> !isHeld(session, task))
                .findFirst()
                .map(task -> notHeld(session, task))
                .orElseGet(() -> new StoreException("holders changed during the ack; ack the tasks again"));
    }

    private boolean isHeld(Session holder, Task task) {
        return tube.find(task.id())
                        .filter(now -> now.token() == task.token() && now.state() == TaskState.TAKEN)
                        .isPresent()
                && tube.holder(task.id()).filter(holder.id()::equals).isPresent();
    }

    /** Fails unless a task that could not be buried is BURIED. */
    void checkBuried(Session holder, Task task) {
        Task now = now(task.id());
        if (now.state() == TaskState.TAKEN) {
            throw notHeld(holder, task);
        }
        checkBuried(now, "READY, DELAYED, or TAKEN by the caller");
    }

    /** Fails unless a task that could not be buried is BURIED. */
    void checkBuried(long id) {
        checkBuried(now(id), "READY or DELAYED");
    }

    private void checkBuried(Task now, String needed) {
        if (now.state() != TaskState.BURIED) {
            throw new WrongStateException(tube.name(), now.id(), now.state(), needed);
        }
    }

    WrongStateException notBuried(long id) {
        return new WrongStateException(tube.name(), id, now(id).state(), TaskState.BURIED.name());
    }

    private Task now(long id) {
        return tube.find(id).orElseThrow(() -> notFound(id));
    }

    TubeFullException full() {
        return new TubeFullException(
                tube.name(), "its capacity is " + tube.definition().capacity().getAsInt() + " tasks");
    }
}
