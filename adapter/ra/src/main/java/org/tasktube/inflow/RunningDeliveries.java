package org.tasktube.inflow;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
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

        void begin(List<Claimed> batch) {
            running = new Running(batch, nanoTime.getAsLong());
        }

        void end() {
            running = null;
        }

        @Override
        public void close() {
            slots.remove(this);
        }
    }

    private record Running(List<Claimed> batch, long since) {

        Stream<BeanStatus.Delivery> tasks(long now) {
            Duration duration = Duration.ofNanos(Math.max(0, now - since));
            return batch.stream()
                    .map(each -> new BeanStatus.Delivery(
                            each.tube().name(), each.task().id(), each.task().attempts(), duration));
        }
    }

    /** Returns the slot of a thread that begins. */
    Slot slot() {
        return new Slot();
    }

    /** Returns the tasks that are delivered, those of the oldest delivery first. */
    List<BeanStatus.Delivery> now() {
        long now = nanoTime.getAsLong();
        return slots.stream()
                .map(slot -> slot.running)
                .filter(Objects::nonNull)
                .sorted(Comparator.comparingLong(each -> each.since - now))
                .flatMap(each -> each.tasks(now))
                .toList();
    }
}
