package org.tasktube.tube;

/** What a server tells the others about a tube, because a thread may wait for it there. */
public enum News {
    /** Tasks are READY that no waiter of this server gets. */
    READY,
    /** The tube has free capacity that no waiter of this server gets. */
    CAPACITY,
    /** The tube has another mode, or a task of it has its result. */
    STATE
}
