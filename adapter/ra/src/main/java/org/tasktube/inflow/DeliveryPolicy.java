package org.tasktube.inflow;

import jakarta.resource.spi.InvalidPropertyException;
import java.time.Duration;
import java.util.Optional;
import org.tasktube.TubeDefinition;
import org.tasktube.jca.Properties;

/** An activation's properties, read and checked. */
record DeliveryPolicy(
        String tube,
        int maxSession,
        int maxAttempts,
        Duration retryDelay,
        double retryMultiplier,
        Duration maxRetryDelay) {

    private static final int MOST_SESSIONS = 10_000;
    private static final int MOST_ATTEMPTS = 1_000_000;
    private static final double LARGEST_MULTIPLIER = 1_000;

    static DeliveryPolicy of(TaskActivationSpec spec) throws InvalidPropertyException {
        Properties read = new Properties();
        DeliveryPolicy policy = new DeliveryPolicy(
                read.text("tube", spec.getTube(), TubeDefinition::checkName),
                read.number("maxSession", spec.getMaxSession(), 1, MOST_SESSIONS),
                read.number("maxAttempts", spec.getMaxAttempts(), 0, MOST_ATTEMPTS),
                read.duration("retryDelay", spec.getRetryDelay(), Duration.ZERO, TubeDefinition.MAX_DURATION),
                read.decimal("retryMultiplier", spec.getRetryMultiplier(), 1, LARGEST_MULTIPLIER),
                read.duration("maxRetryDelay", spec.getMaxRetryDelay(), Duration.ZERO, TubeDefinition.MAX_DURATION));
        if (policy.maxRetryDelay.compareTo(policy.retryDelay) < 0) {
            read.refuse("property maxRetryDelay (" + spec.getMaxRetryDelay() + ") is below retryDelay ("
                    + spec.getRetryDelay() + ")");
        }
        read.check();
        return policy;
    }

    /** Whether a task was tried more often than it should have been: its holders died, or its ttr was over each time. */
    boolean isOver(int attempts) {
        return maxAttempts > 0 && attempts > maxAttempts;
    }

    /** The delay before the next attempt, empty after the last one. */
    Optional<Duration> delayAfter(int attempts) {
        if (maxAttempts > 0 && attempts >= maxAttempts) {
            return Optional.empty();
        }
        double millis = retryDelay.toMillis() * Math.pow(retryMultiplier, Math.max(0, attempts - 1));
        return Optional.of(millis >= maxRetryDelay.toMillis() ? maxRetryDelay : Duration.ofMillis((long) millis));
    }
}
