package org.tasktube.store;

import java.util.List;

/**
 * The outcome of a put.
 *
 * @param ids the ids of the tasks that were put, in their order; for EXISTS, the id of the existing task
 * @param micros how long the database worked on a put for a holder, in microseconds, without the commit; 0 if it does
 *     not say
 * @param mayVanish whether a put for a holder may be in a savepoint, to which its transaction can roll back
 */
public record Put(Outcome outcome, List<Long> ids, long micros, boolean mayVanish) {

    /** The kind of an outcome. */
    public enum Outcome {
        DONE,
        /** The task was put, and its holder has taken it. */
        TAKEN,
        /** There is too little room; nothing was put. */
        FULL,
        /** A task has the unique key already; nothing was put. */
        EXISTS,
        /** The tube no longer exists; nothing was put. */
        NO_TUBE
    }

    public static Put done(List<Long> ids) {
        return new Put(Outcome.DONE, ids, 0, false);
    }

    /** The outcome of a put for a holder. */
    public static Put putFor(long id, boolean isTaken, long micros, boolean mayVanish) {
        return new Put(isTaken ? Outcome.TAKEN : Outcome.DONE, List.of(id), micros, mayVanish);
    }

    public static Put exists(long id) {
        return new Put(Outcome.EXISTS, List.of(id), 0, false);
    }

    public static final Put FULL = new Put(Outcome.FULL, List.of(), 0, false);
    public static final Put NO_TUBE = new Put(Outcome.NO_TUBE, List.of(), 0, false);

    public long id() {
        return ids.get(0);
    }
}
