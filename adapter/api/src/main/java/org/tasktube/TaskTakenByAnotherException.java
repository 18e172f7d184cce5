package org.tasktube;

import java.util.UUID;

/** Another session holds the task, or the same session holds it by a later take. */
public final class TaskTakenByAnotherException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final UUID holder;
    private final UUID caller;

    public TaskTakenByAnotherException(String tube, long id, UUID holder, UUID caller) {
        super("task " + id + " in tube '" + tube + "' is taken by " + holder
                + (holder.equals(caller) ? " in a later take; the take of this call has ended" : "")
                + ", not you (" + caller + "); leave it to its holder, or identify as that session");
        this.holder = holder;
        this.caller = caller;
    }

    /** Returns the session that holds the task. */
    public UUID holder() {
        return holder;
    }

    /** Returns the session that called. */
    public UUID caller() {
        return caller;
    }
}
