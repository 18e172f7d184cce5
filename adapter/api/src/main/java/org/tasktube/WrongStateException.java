package org.tasktube;

/** The task is not in the state that the call needs. The call has changed nothing. */
public final class WrongStateException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final TaskState state;

    public WrongStateException(String tube, long id, TaskState state, String needed) {
        super("task " + id + " in tube '" + tube + "' is " + state + " and should be " + needed
                + "; look at the task again before the next call");
        this.state = state;
    }

    /** Returns the state of the task when the call failed. */
    public TaskState state() {
        return state;
    }
}
