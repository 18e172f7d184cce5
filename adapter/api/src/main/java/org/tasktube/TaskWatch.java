package org.tasktube;

import java.time.Duration;
import java.util.Optional;

/**
 * Watches one task. It reports each change that this server commits. Changes of other servers come from a query of the
 * database per poll interval: of several changes between two polls, the watch reports only the last.
 */
public interface TaskWatch extends AutoCloseable {

    /**
     * Waits for the task's next state and returns it. The first call returns the state from the beginning of the watch.
     * The last state is DONE, also for a task that was acked, deleted, or removed by its ttl.
     *
     * @param timeout the longest time to wait for a change; zero does not wait
     * @return the state; empty after the timeout, after the last state, or if the watch was closed
     * @throws IllegalArgumentException if the timeout is negative
     * @throws AdapterNotRunningException if the adapter stops or loses its database during the call
     */
    Optional<TaskState> next(Duration timeout);

    /** Returns whether {@link #next} has returned the last state. */
    boolean isOver();

    /**
     * Ends the watch, as closing its connection does. A waiting {@link #next} returns at once. A second call has no
     * effect.
     */
    @Override
    void close();
}
