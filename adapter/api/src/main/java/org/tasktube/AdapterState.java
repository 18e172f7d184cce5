package org.tasktube;

/** The state of the adapter on this server, in tarantool/queue's words; calls are answered in {@link #RUNNING} only. */
public enum AdapterState {
    /** Not started yet. */
    INIT,
    /** Started; the database is being looked at, tables made or checked, what a former self held released. */
    STARTUP,
    /** At work. */
    RUNNING,
    /** Stopping, or stopped, for good. */
    ENDING,
    /** The database is away or refuses to be written to; the adapter goes back to RUNNING by itself when it can. */
    WAITING
}
