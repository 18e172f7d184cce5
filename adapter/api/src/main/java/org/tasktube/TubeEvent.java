package org.tasktube;

/** What can happen in a tube; the kinds that {@link TubeStatistics} counts. */
public enum TubeEvent {
    PUT,
    /** A put that went ahead of all. */
    URGENT,
    TAKE,
    /** A take that ended without a task, whatever its timeout was. */
    TAKE_TIMEOUT,
    ACK,
    /** An ack with a result. */
    DONE,
    RELEASE,
    REQUEUE,
    /** A touch or a heartbeat. */
    TOUCH,
    BURY,
    KICK,
    DIG,
    DELETE,
    TRUNCATE,
    /** A task whose time to live was over, or the result of one whose time was, removed. */
    TTL,
    /** A taken task whose time to run was over, made ready. */
    TTR,
    /** A delayed task whose delay was over, made ready. */
    DELAY,
    /** A task made ready because its holder's connection was closed. */
    RELEASED_BY_SESSION,
    /** A task made ready because the server that held it had gone. */
    RELEASED_AT_START
}
