package org.tasktube;

/** The task is not in the state that the call needs; nothing was changed. */
public final class WrongStateException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final TaskState state;

    public WrongStateException(String tube, long id, TaskState state, String needed) {
        super("task " + id + " in tube '" + tube + "' is " + state + " and should be " + needed);
        this.state = state;
    }

    /** The state that the task is in. */
    public TaskState state() {
        return state;
    }
}
