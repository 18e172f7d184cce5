package org.tasktube;

import java.time.Instant;
import java.util.Optional;

/**
 * How far the work on a TAKEN task is, and whether its holder was asked to end it. No part of any promise: it is
 * written outside of transactions, and is gone some time after the taking.
 *
 * @param done the parts that are done, from 0
 * @param total the parts of the work, from {@code done}; 0 if that is not known
 * @param note what the holder says about it; empty for nothing
 * @param at the time when the holder said so; empty if it has not
 * @param cancel the call to end the task; empty without one
 */
public record TaskProgress(long done, long total, String note, Optional<Instant> at, Optional<Cancel> cancel) {

    /** The longest note, and the longest reason of a cancel, in characters. */
    public static final int MAX_TEXT = 255;

    /**
     * A call to end a task.
     *
     * @param by the user or the server that made it
     * @param reason the given reason
     */
    public record Cancel(String by, String reason, Instant at) {}
}
