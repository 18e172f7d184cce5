package org.tasktube;

import java.time.Duration;
import java.util.Optional;

/**
 * Watches one task. What happens to it on this server is told change by change; what other servers do, by a look into the
 * database at each poll interval, so that of several changes between two looks only the last one is told.
 */
public interface TaskWatch extends AutoCloseable {

    /**
     * The next state that the task is in, beginning with the one that it was in when the watch began. The last one is
     * DONE, also for a task that is gone: acked, deleted, or at the end of its ttl.
     *
     * @param timeout how long to wait for a change; zero answers at once
     * @return empty if there was none in that time, the last one was told, or the watch was closed
     * @throws IllegalArgumentException if the timeout is negative
     * @throws AdapterNotRunningException if the adapter stops, or its database goes away, meanwhile
     */
    Optional<TaskState> next(Duration timeout);

    /** Whether the last state was told. */
    boolean isOver();

    /** Ends the watch, as the close of its connection does; who waits in {@link #next} is answered at once. Closing again changes nothing. */
    @Override
    void close();
}
