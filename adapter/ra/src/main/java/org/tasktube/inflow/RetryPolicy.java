package org.tasktube.inflow;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.tasktube.TaskFailure;
import org.tasktube.TaskRejectedException;

/**
 * The number of attempts a task gets, and the delays between them.
 *
 * @param maxAttempts the number of attempts; 0 for no bound
 * @param delay the delay after the first failed attempt
 * @param multiplier the factor by which each further delay grows
 * @param maxDelay the longest delay
 * @param finalExceptions the classes of exceptions after which no attempt follows, also as a cause
 */
record RetryPolicy(int maxAttempts, Duration delay, double multiplier, Duration maxDelay, Set<String> finalExceptions) {

    RetryPolicy(int maxAttempts, Duration delay, double multiplier, Duration maxDelay) {
        this(maxAttempts, delay, multiplier, maxDelay, Set.of());
    }

    /**
     * Returns whether a task has used up its attempts before this one: its holders died, or its ttr expired each time.
     */
    boolean isOver(int attempts) {
        return maxAttempts > 0 && attempts > maxAttempts;
    }

    /** The part of a delay by which it is longer or shorter: tasks that failed together do not come together. */
    private static final double JITTER = 0.2;

    /**
     * Returns the delay before the next attempt, longer or shorter by chance: not below the first delay, and not above the
     * longest. Returns empty after the last attempt, or if the bean has rejected the task.
     *
     * @param chance from 0 to 1
     */
    Optional<Duration> delayAfter(int attempts, Throwable failure, double chance) {
        if (isFinal(failure)) {
            return Optional.empty();
        }
        return delayAfter(attempts).map(exact -> {
            long millis = (long) (exact.toMillis() * (1 - JITTER + 2 * JITTER * chance));
            return Duration.ofMillis(Math.min(maxDelay.toMillis(), Math.max(delay.toMillis(), millis)));
        });
    }

    /** By the name, because an application can have a copy of the API's classes. */
    private boolean isFinal(Throwable failure) {
        return TaskFailure.causes(failure).stream()
                .flatMap(
                        cause -> Stream.<Class<?>>iterate(cause.getClass(), type -> type != null, Class::getSuperclass))
                .anyMatch(type -> type.getName().equals(TaskRejectedException.class.getName())
                        || finalExceptions.contains(type.getName()));
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
