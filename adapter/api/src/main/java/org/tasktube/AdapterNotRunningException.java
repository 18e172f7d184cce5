package org.tasktube;

/**
 * The adapter is not {@link AdapterState#RUNNING} on this server, for instance because it cannot reach its database.
 */
public final class AdapterNotRunningException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final AdapterState state;

    public AdapterNotRunningException(AdapterState state, String next) {
        super("TaskTube is " + state + ", not RUNNING: " + next);
        this.state = state;
    }

    /** Returns the state that the adapter was in when the call failed. */
    public AdapterState state() {
        return state;
    }
}
