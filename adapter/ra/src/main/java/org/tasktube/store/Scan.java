package org.tasktube.store;

import java.util.Collection;
import org.tasktube.TaskState;

/** A range of tasks for a search, which an index has in order. */
public sealed interface Scan {

    /** The tasks of these ids. */
    record Ids(Collection<Long> ids) implements Scan {}

    /** The tasks of a tube with one of these unique keys. */
    record Keys(StoredTube tube, Collection<String> keys) implements Scan {}

    /** At most {@code max} tasks of all tubes in the database, the newest first. In memory this finds none. */
    record Newest(long beforeId, int max) implements Scan {}

    /**
     * At most {@code max} tasks of all tubes in the database that are in a state and whose last failure is of a kind,
     * by their ids. In memory this finds none.
     *
     * @param failure the number of the fingerprint
     */
    record OfKind(long failure, TaskState state, long afterId, int max) implements Scan {}

    /**
     * At most {@code max} tasks of all tubes in the database that have failed, by the kinds of their last failures. In
     * memory this finds none.
     *
     * @param after the position before them: {@code pri} has the letter of a state, and {@code ord} the number of a kind
     */
    record Failed(OrderKey after, int max) implements Scan {}

    /**
     * At most {@code max} tasks of a tube that an index has under a hash, the newest first. Each entry of the index
     * counts, also of a task that is gone. In memory this finds none.
     *
     * @param hash see {@link FieldIndex#hash}
     */
    record Indexed(StoredTube tube, long hash, long beforeId, int max) implements Scan {}

    /**
     * At most {@code max} tasks of a tube in a state, in the order of take. In a database these are without blocked
     * ones, which {@link Blocked} has.
     */
    record InOrder(StoredTube tube, TaskState state, OrderKey after, int max) implements Scan {}

    /**
     * At most {@code max} tasks of a tube that are blocked in their sub-queues, by sub-queue and the order of take. In
     * memory this finds none.
     */
    record Blocked(StoredTube tube, String utube, OrderKey after, int max) implements Scan {}
}
