package org.tasktube.tube;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.tasktube.admin.Histogram;

/** Counts times by their lengths, in microseconds. An addition takes no lock and allocates nothing. */
public final class TimeHistogram {

    private static final long[] BOUNDS = Histogram.BOUNDS.stream()
            .mapToLong(bound -> TimeUnit.MICROSECONDS.convert(bound))
            .toArray();

    private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
    private final LongAdder sum = new LongAdder();

    public TimeHistogram() {
        Arrays.setAll(counts, i -> new LongAdder());
    }

    /** Counts a time. A time below zero, which a clock that was set back gives, counts as zero. */
    public void add(long micros) {
        long time = Math.max(0, micros);
        int bucket = 0;
        while (bucket < BOUNDS.length && time > BOUNDS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sum.add(time);
    }

    public Histogram read() {
        return new Histogram(
                Arrays.stream(counts).map(LongAdder::sum).toList(), Duration.of(sum.sum(), ChronoUnit.MICROS));
    }
}
