package org.tasktube;

/**
 * The adapter is not {@link AdapterState#RUNNING} on this server, for instance because it cannot reach its database. A
 * call whose thread was interrupted while it waited also fails so, with the state RUNNING.
 */
public final class AdapterNotRunningException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final AdapterState state;

    public AdapterNotRunningException(AdapterState state, String next) {
        super((state == AdapterState.RUNNING ? "the call waits no more: " : "TaskTube is " + state + ", not RUNNING: ")
                + next);
        this.state = state;
    }

    /** Returns the state that the adapter was in when the call failed. */
    public AdapterState state() {
        return state;
    }
}
