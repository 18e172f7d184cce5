package org.tasktube.spi;

import java.util.Set;
import org.tasktube.PutOptions;
import org.tasktube.TaskData;

/**
 * A type of tubes: which options its tasks have, and in which order they are handed out. The five types that TaskTube has
 * are drivers of this kind. All else, states, transactions, ttl, ttr, delay, sub-queues, capacity, is the same for all
 * types, and TaskTube's to do.
 *
 * <p>A driver is called by many threads at once, and keeps no state of its own about tasks: the order is in the database,
 * where each server must come to the same. What it throws fails the call that needed it, which changes nothing.
 */
public interface TubeDriver {

    /** The type's name: 1 to 32 of {@code A-Z a-z 0-9 _ -}, starting with a letter. */
    String type();

    /** What tasks of this type may have. The same whenever asked. */
    Set<TubeOption> options();

    /**
     * Where a task goes among those of its pri when it is put. It keeps that place through release, bury and delay. A
     * requeue puts it {@link Position#last()}, an urgent put {@link Position#first()}, whatever the driver.
     *
     * @throws IllegalArgumentException to refuse the task
     */
    default Position position(TaskData data, PutOptions options) {
        return Position.last();
    }
}
