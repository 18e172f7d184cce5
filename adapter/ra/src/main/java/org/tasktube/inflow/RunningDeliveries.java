package org.tasktube.inflow;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.tasktube.admin.BeanStatus;
import org.tasktube.inflow.Prefetch.Claimed;

/** The deliveries of a bean that run now, for the administration. */
final class RunningDeliveries {

    private final LongSupplier nanoTime;
    private final Set<Slot> slots = ConcurrentHashMap.newKeySet();

    /** @param nanoTime the time in nanoseconds, as {@link System#nanoTime} gives it */
    RunningDeliveries(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * One thread's deliveries, one after another. A thread keeps its slot until it ends, so that a delivery costs one
     * write at its begin and one at its end.
     */
    final class Slot implements AutoCloseable {

        private volatile Running running;

        private Slot() {
            slots.add(this);
        }

        void begin(Claimed claimed) {
            running = new Running(claimed, nanoTime.getAsLong());
        }

        void end() {
            running = null;
        }

        @Override
        public void close() {
            slots.remove(this);
        }
    }

    private record Running(Claimed claimed, long since) {}

    /** Returns the slot of a thread that begins. */
    Slot slot() {
        return new Slot();
    }

    /** Returns the deliveries, the oldest first. */
    List<BeanStatus.Delivery> now() {
        long now = nanoTime.getAsLong();
        return slots.stream()
                .map(slot -> slot.running)
                .filter(Objects::nonNull)
                .map(each -> new BeanStatus.Delivery(
                        each.claimed.tube().name(),
                        each.claimed.task().id(),
                        each.claimed.task().attempts(),
                        Duration.ofNanos(Math.max(0, now - each.since))))
                .sorted(Comparator.comparing(BeanStatus.Delivery::duration).reversed())
                .toList();
    }
}
