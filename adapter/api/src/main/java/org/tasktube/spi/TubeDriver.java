package org.tasktube.spi;

import java.util.Set;
import org.tasktube.PutOptions;
import org.tasktube.TaskData;

/**
 * A type of tubes: the options of its tasks, and the order in which they are taken. The five types of TaskTube are
 * drivers of this kind. TaskTube handles everything else in the same way for all types: states, transactions, ttl, ttr,
 * delay, sub-queues and capacity.
 *
 * <p>Many threads call a driver at once. A driver keeps no state of its own about tasks: the order is in the database,
 * and each server must arrive at the same one. An exception of the driver fails the call that needed it, which then
 * changes nothing.
 */
public interface TubeDriver {

    /** Returns the type's name: 1 to 32 of {@code A-Z a-z 0-9 _ -}, starting with a letter. */
    String type();

    /** Returns the options that tasks of this type may have. The answer must always be the same. */
    Set<TubeOption> options();

    /**
     * Returns the position of a task among those of its pri when it is put. The task keeps the position through
     * release, bury and delay. With every driver, a requeue gives {@link Position#last()}, and an urgent put gives
     * {@link Position#first()}.
     *
     * @throws IllegalArgumentException to refuse the task
     */
    default Position position(TaskData data, PutOptions options) {
        return Position.last();
    }
}
