package org.tasktube.inflow;

import java.time.Duration;
import java.util.Optional;

/**
 * The number of attempts a task gets, and the delays between them.
 *
 * @param maxAttempts the number of attempts; 0 for no bound
 * @param delay the delay after the first failed attempt
 * @param multiplier the factor by which each further delay grows
 * @param maxDelay the longest delay
 */
record RetryPolicy(int maxAttempts, Duration delay, double multiplier, Duration maxDelay) {

    /**
     * Returns whether a task has used up its attempts before this one: its holders died, or its ttr expired each time.
     */
    boolean isOver(int attempts) {
        return maxAttempts > 0 && attempts > maxAttempts;
    }

    /** Returns the delay before the next attempt; empty after the last one. */
    Optional<Duration> delayAfter(int attempts) {
        if (maxAttempts > 0 && attempts >= maxAttempts) {
            return Optional.empty();
        }
        double millis = delay.toMillis() * Math.pow(multiplier, Math.max(0, attempts - 1));
        return Optional.of(millis >= maxDelay.toMillis() ? maxDelay : Duration.ofMillis((long) millis));
    }
}
