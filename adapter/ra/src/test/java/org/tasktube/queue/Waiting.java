package org.tasktube.queue;

import org.tasktube.testing.Eventually;

/** Tells tests from outside who waits. */
public final class Waiting {

    private Waiting() {}

    /** Returns when so many wait for a task of a tube. */
    public static void forTasks(Queue queue, String tube, int waiters) {
        Eventually.holds(() -> at(queue, tube).line().length() == waiters, waiters + " wait for a task");
    }

    /** Returns when so many wait for a place in a tube. */
    public static void forPlaces(Queue queue, String tube, int waiters) {
        Eventually.holds(() -> at(queue, tube).places().length() == waiters, waiters + " wait for a place");
    }

    private static TubeQueue at(Queue queue, String tube) {
        return queue.find(tube).orElseThrow();
    }
}
