package org.tasktube.admin;

import java.time.Duration;
import java.util.List;

/**
 * How often times of each length occurred, on this server since its start.
 *
 * @param counts the number of times up to each of {@link #BOUNDS} and above the bound before it; the last number is
 *     that of times above all bounds
 * @param sum the sum of all times
 */
public record Histogram(List<Long> counts, Duration sum) {

    /** The upper bounds, the smallest first. */
    public static final List<Duration> BOUNDS = List.of(
            Duration.ofMillis(1),
            Duration.ofMillis(5),
            Duration.ofMillis(25),
            Duration.ofMillis(100),
            Duration.ofMillis(250),
            Duration.ofMillis(500),
            Duration.ofSeconds(1),
            Duration.ofMillis(2_500),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            Duration.ofMinutes(1),
            Duration.ofMinutes(5),
            Duration.ofMinutes(30),
            Duration.ofHours(2));

    public Histogram {
        counts = List.copyOf(counts);
        if (counts.size() != BOUNDS.size() + 1) {
            throw new IllegalArgumentException(counts.size() + " numbers do not fit " + BOUNDS.size()
                    + " bounds; give one number more than bounds");
        }
    }

    /** Returns the number of all times. */
    public long total() {
        return counts.stream().mapToLong(count -> count).sum();
    }
}
