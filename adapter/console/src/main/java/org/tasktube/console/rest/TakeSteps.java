package org.tasktube.console.rest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tasktube.Task;
import org.tasktube.Tube;

/**
 * Takes tasks up to a number of bytes. The size of a task is known only after its take, when all tasks of that take are
 * in memory. So this is one take after the other, each of so few tasks that they fit if each has the largest size.
 */
final class TakeSteps {

    private final Tube tube;
    private final int largest;
    private final long maxBytes;
    private final List<Task> taken = new ArrayList<>();
    private final List<Task> kept = new ArrayList<>();
    private long bytes;
    private int largestSeen;

    /**
     * Creates the steps of one request.
     *
     * @param largest the size that no task should exceed, in bytes
     * @param maxBytes the most bytes of all tasks, unless the first one alone has more
     */
    TakeSteps(Tube tube, int largest, long maxBytes) {
        this.tube = tube;
        this.largest = largest;
        this.maxBytes = maxBytes;
    }

    /** Takes one task, and waits for it. Returns whether there is one. */
    boolean first(Duration timeout) {
        return some(1, timeout) > 0;
    }

    /** Takes up to {@code count} tasks, with the first one. Returns those that fit, and releases the others. */
    List<Task> take(int count) {
        boolean isFull = true;
        for (int step = step(count); step > 0 && isFull; step = step(count)) {
            isFull = some(step, Duration.ZERO) == step;
        }
        return List.copyOf(kept);
    }

    private int some(int max, Duration wait) {
        List<Task> some = tube.take(max, wait);
        taken.addAll(some);
        some.forEach(this::keepOrRelease);
        return some.size();
    }

    /** Returns all tasks that were taken, also those that were released since. */
    List<Task> taken() {
        return List.copyOf(taken);
    }

    /** Returns the size of the next step; 0 if a further task as large as the largest one would not fit. */
    private int step(int count) {
        long left = maxBytes - bytes;
        return left < largestSeen ? 0 : (int) Math.min(count - taken.size(), Math.max(1, left / largest));
    }

    private void keepOrRelease(Task task) {
        int size = task.data().size();
        bytes += size;
        largestSeen = Math.max(largestSeen, size);
        if (kept.isEmpty() || bytes <= maxBytes) {
            kept.add(task);
        } else {
            tube.release(task);
        }
    }
}
