package org.tasktube;

/** The adapter is not at work on this server, for instance because its database is away. */
public final class AdapterNotRunningException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    private final AdapterState state;

    public AdapterNotRunningException(AdapterState state, String next) {
        super("TaskTube is " + state + ", not RUNNING: " + next);
        this.state = state;
    }

    /** The state that the adapter was in. */
    public AdapterState state() {
        return state;
    }
}
