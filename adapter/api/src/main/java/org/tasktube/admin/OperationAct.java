package org.tasktube.admin;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.tasktube.TaskState;

/** An act on many tasks. */
public enum OperationAct {
    /** Makes BURIED tasks READY, as {@link org.tasktube.Tube#kick(long)} does. Resets their attempts. */
    RETRY(EnumSet.of(TaskState.BURIED)),
    /** Deletes tasks, except TAKEN ones, as {@link org.tasktube.Tube#delete} does. */
    DELETE(EnumSet.complementOf(EnumSet.of(TaskState.TAKEN))),
    /** Buries READY and DELAYED tasks, as {@link org.tasktube.Tube#bury(long)} does. */
    BURY(EnumSet.of(TaskState.READY, TaskState.DELAYED)),
    /** Makes TAKEN tasks READY, as {@link org.tasktube.Tube#releaseAll} does. The former holder's ack fails. */
    RELEASE(EnumSet.of(TaskState.TAKEN));

    @SuppressWarnings("ImmutableEnumChecker") // it is made unmodifiable
    private final Set<TaskState> from;

    OperationAct(Set<TaskState> from) {
        this.from = Collections.unmodifiableSet(from);
    }

    /** Returns the states that a task can have for the act. */
    public Set<TaskState> from() {
        return from;
    }
}
