package org.tasktube;

/**
 * The state of the adapter on this server, in tarantool/queue's words. Calls need {@link #RUNNING}, unless their
 * documentation says otherwise.
 */
public enum AdapterState {
    /** The adapter has not started yet. */
    INIT,
    /**
     * The adapter opens the database, creates or checks the tables, and releases the tasks that its former run held.
     */
    STARTUP,
    /** The adapter serves all calls. */
    RUNNING,
    /** The adapter is stopping or has stopped. This state is final. */
    ENDING,
    /** The database is unreachable or refuses writes. The adapter returns to RUNNING by itself. */
    WAITING
}
