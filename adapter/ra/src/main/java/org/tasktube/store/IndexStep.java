package org.tasktube.store;

/** What a step of an index has left. */
public enum IndexStep {
    /** A further step can be done at once. */
    MORE,
    /** The next step waits for other servers, or for other transactions. */
    WAITS,
    /** The index has all tasks, or another server is at work on it. */
    ENDED
}
