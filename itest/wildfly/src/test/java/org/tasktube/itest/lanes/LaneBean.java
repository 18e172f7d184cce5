package org.tasktube.itest.lanes;

import jakarta.annotation.Resource;
import jakarta.ejb.MessageDrivenContext;
import jakarta.inject.Inject;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/**
 * Leaves a row per task, and fails in each way that a bean can. The descriptor makes it message-driven, once per lane.
 */
public class LaneBean implements TaskListener {

    /** In seconds. */
    public static final int TRANSACTION_TIMEOUT = 4;

    /** Whether no bean fails, and none takes long. */
    static final boolean WELL_BEHAVED = Boolean.getBoolean("lanes.wellBehaved");

    private static final int FORWARDED = 5;

    @Resource
    private MessageDrivenContext context;

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Inject
    private Facts facts;

    @Override
    public void onTask(Task task) {
        Lane lane = LaneDesk.laneOf(task);
        long call = Journal.begin(lane, task);
        try {
            work(lane, task);
        } finally {
            Journal.end(call);
        }
    }

    private void work(Lane lane, Task task) {
        long number = Long.parseLong(task.text());
        facts.done(lane, task, number);
        if (lane == Lane.FIFO && number % FORWARDED == 0) {
            forward(number);
        }
        int chance =
                WELL_BEHAVED ? Integer.MAX_VALUE : ThreadLocalRandom.current().nextInt(1_000);
        if (chance < 10) {
            throw new IllegalStateException("one in a hundred");
        } else if (chance < 13) {
            throw new AssertionError("an Error");
        } else if (chance < 20) {
            context.setRollbackOnly();
        } else if (chance < 21 && lane.hasRunTime()) {
            LockSupport.parkNanos(Lane.RUN_TIME.toNanos() + 500_000_000);
        } else if (chance < 22) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TRANSACTION_TIMEOUT * 1_000 + 500));
        } else if (chance < 25) {
            leak();
        } else if (chance < 300) {
            LockSupport.parkNanos(chance * 10_000L);
        }
    }

    private void forward(long number) {
        try (TubeConnection connection = tubes.getConnection()) {
            Tube next = connection.tube(Lane.NEXT.tube());
            facts.put(Lane.NEXT, next.put(Long.toString(number), Lane.NEXT.options("")), number);
        }
    }

    @SuppressWarnings({"MustBeClosedChecker", "resource"})
    private void leak() {
        TubeConnection left = tubes.getConnection();
        left.identify();
    }
}
