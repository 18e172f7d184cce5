package org.tasktube.store;

import java.util.List;

/**
 * What became of a put.
 *
 * @param ids of the tasks that were put, in their order; of the one that is there, if it EXISTS
 */
public record Put(Outcome outcome, List<Long> ids) {

    /** What can become of a put. */
    public enum Outcome {
        DONE,
        /** There is no place; nothing was put. */
        FULL,
        /** There is a task of the unique key; nothing was put. */
        EXISTS,
        /** The tube is gone; nothing was put. */
        NO_TUBE
    }

    public static Put done(List<Long> ids) {
        return new Put(Outcome.DONE, ids);
    }

    public static Put exists(long id) {
        return new Put(Outcome.EXISTS, List.of(id));
    }

    public static final Put FULL = new Put(Outcome.FULL, List.of());
    public static final Put NO_TUBE = new Put(Outcome.NO_TUBE, List.of());

    public long id() {
        return ids.get(0);
    }
}
