package org.tasktube;

/** The kinds of events in a tube. {@link TubeStatistics} counts them. */
public enum TubeEvent {
    PUT,
    /** A put that went ahead of all READY tasks. */
    URGENT,
    TAKE,
    /** A take that ended without a task, with any timeout. */
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
    /** The holder of a TAKEN task was asked to end it. */
    CANCEL,
    TRUNCATE,
    /** The ttl of a task, or of a result, expired: the task was removed. */
    TTL,
    /** The ttr of a TAKEN task expired: the task became READY. */
    TTR,
    /** The delay of a DELAYED task expired: the task became READY. */
    DELAY,
    /** The connection of a task's holder was closed: the task became READY. */
    RELEASED_BY_SESSION,
    /** The server of a task's holder had gone: the task became READY. */
    RELEASED_AT_START
}
