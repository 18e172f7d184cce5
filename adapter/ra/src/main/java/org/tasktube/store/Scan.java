package org.tasktube.store;

import java.util.Collection;
import org.tasktube.TaskState;

/** A range of tasks for a search, which an index has in order. */
public sealed interface Scan {

    /** The tasks of these ids. */
    record Ids(Collection<Long> ids) implements Scan {}

    /** The tasks of a tube with one of these unique keys. */
    record Keys(StoredTube tube, Collection<String> keys) implements Scan {}

    /** At most {@code max} tasks of all tubes of the table, the newest first. */
    record Newest(long beforeId, int max) implements Scan {}

    /**
     * At most {@code max} tasks of all tubes of the table that are in a state and whose last failure is of a kind,
     * by their ids.
     *
     * @param failure the number of the fingerprint
     */
    record OfKind(long failure, TaskState state, long afterId, int max) implements Scan {}

    /**
     * At most {@code max} tasks of all tubes of the table that have failed, by the kinds of their last failures.
     *
     * @param after the position before them: {@code pri} has the letter of a state, and {@code ord} the number of a kind
     */
    record Failed(OrderKey after, int max) implements Scan {}

    /**
     * At most {@code max} tasks of a tube that an index has under a hash, the newest first. Each entry of the index
     * counts, also of a task that is gone.
     *
     * @param hash see {@link FieldIndex#hash}
     */
    record Indexed(StoredTube tube, long hash, long beforeId, int max) implements Scan {}

    /**
     * At most {@code max} tasks of a tube in a state, in the order of take. These are without blocked ones,
     * which {@link Blocked} has.
     */
    record InOrder(StoredTube tube, TaskState state, OrderKey after, int max) implements Scan {}

    /**
     * At most {@code max} tasks of a tube that are blocked in their sub-queues, by sub-queue and the order of take.
     */
    record Blocked(StoredTube tube, String utube, OrderKey after, int max) implements Scan {}
}
