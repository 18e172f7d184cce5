package org.tasktube.inflow;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.tasktube.admin.BeanStatus;
import org.tasktube.inflow.Prefetch.Claimed;

/** The deliveries of a bean that run now, for the administration. */
final class RunningDeliveries {

    private final LongSupplier nanoTime;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();

    /** @param nanoTime the time in nanoseconds, as {@link System#nanoTime} gives it */
    RunningDeliveries(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A delivery. Not a record: its identity is enough, and the hash of a task reads the task's data. */
    static final class Running {

        private final Claimed claimed;
        private final long since;

        private Running(Claimed claimed, long since) {
            this.claimed = claimed;
            this.since = since;
        }
    }

    Running begin(Claimed claimed) {
        Running begun = new Running(claimed, nanoTime.getAsLong());
        running.add(begun);
        return begun;
    }

    void end(Running ended) {
        running.remove(ended);
    }

    /** Returns the deliveries, the oldest first. */
    List<BeanStatus.Delivery> now() {
        long now = nanoTime.getAsLong();
        return running.stream()
                .map(each -> new BeanStatus.Delivery(
                        each.claimed.tube().name(),
                        each.claimed.task().id(),
                        each.claimed.task().attempts(),
                        Duration.ofNanos(Math.max(0, now - each.since))))
                .sorted(Comparator.comparing(BeanStatus.Delivery::duration).reversed())
                .toList();
    }
}
