package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** Takes and acks in batches, outside transactions, as an application without a bean does it. */
@ApplicationScoped
public class Batches {

    /** A tube without sub-queues, and one with them. */
    public static final String PLAIN = "bench-fifottl";

    public static final String SUB_QUEUES = "bench-utubettl";

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int MOST_AT_ONCE = 1_000;

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    /** Works off so many, a batch after the other, and returns the nanoseconds that it took. */
    long workOff(String name, int batch, int tasks) {
        try (TubeConnection connection = tubes.getConnection()) {
            Tube tube = connection.tube(name);
            long start = System.nanoTime();
            int left = tasks;
            while (left > 0) {
                left -= workOff(tube, Math.min(batch, left));
            }
            return System.nanoTime() - start;
        }
    }

    private static int workOff(Tube tube, int most) {
        List<Task> taken = tube.take(most, PATIENCE);
        if (taken.isEmpty()) {
            throw new IllegalStateException("no task was taken from " + tube.name() + " within " + PATIENCE);
        }
        tube.ackAll(taken);
        return taken.size();
    }

    /**
     * Holds all that can be taken, puts so many behind all blocked tasks, each into a sub-queue of its own, and takes
     * these one by one; the nanoseconds of each take, in order.
     */
    long[] takesBehindBusy(int tasks) {
        try (TubeConnection busy = tubes.getConnection();
                TubeConnection connection = tubes.getConnection()) {
            holdAll(busy.tube(SUB_QUEUES));
            Tube tube = connection.tube(SUB_QUEUES);
            for (int i = 0; i < tasks; i++) {
                tube.put("", PutOptions.defaults().utube("free-" + i));
            }
            return takes(tube, tasks);
        }
    }

    /** The nanoseconds of each of so many takes of one, in order. */
    long[] takes(int tasks) {
        try (TubeConnection connection = tubes.getConnection()) {
            return takes(connection.tube(PLAIN), tasks);
        }
    }

    private static void holdAll(Tube tube) {
        List<Task> held;
        do {
            held = tube.take(MOST_AT_ONCE, Duration.ZERO);
        } while (!held.isEmpty());
    }

    private static long[] takes(Tube tube, int tasks) {
        long[] nanos = new long[tasks];
        for (int i = 0; i < tasks; i++) {
            long start = System.nanoTime();
            Task task = tube.take(Duration.ZERO).orElseThrow();
            nanos[i] = System.nanoTime() - start;
            tube.ack(task);
        }
        Arrays.sort(nanos);
        return nanos;
    }
}
