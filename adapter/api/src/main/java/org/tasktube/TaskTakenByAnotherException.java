package org.tasktube;

import java.util.UUID;

/** The task is taken by somebody else, or by the same session in a later take. */
public final class TaskTakenByAnotherException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final UUID holder;
    private final UUID caller;

    public TaskTakenByAnotherException(String tube, long id, UUID holder, UUID caller) {
        super("task " + id + " in tube '" + tube + "' is taken by " + holder
                + (holder.equals(caller) ? " in a later take; the one this call holds is over" : "")
                + ", not you (" + caller + ")");
        this.holder = holder;
        this.caller = caller;
    }

    /** The session that holds the task. */
    public UUID holder() {
        return holder;
    }

    /** The session that called. */
    public UUID caller() {
        return caller;
    }
}
