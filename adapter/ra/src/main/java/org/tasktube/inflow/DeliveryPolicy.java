package org.tasktube.inflow;

import jakarta.resource.spi.InvalidPropertyException;
import java.time.Duration;
import java.util.Optional;
import org.tasktube.TubeDefinition;
import org.tasktube.jca.Properties;

/**
 * An activation's properties, read and checked.
 *
 * @param batchSize the most tasks per delivery; 1 if the bean gets one task at a time
 */
record DeliveryPolicy(
        String tube,
        ListenerMethod listener,
        int maxSession,
        int batchSize,
        RetryPolicy retry,
        Optional<Duration> transactionTimeout,
        boolean gatherAcks,
        boolean handOver) {

    private static final int MOST_SESSIONS = 10_000;
    private static final int MOST_PER_BATCH = 1_000;
    private static final int MOST_ATTEMPTS = 1_000_000;
    private static final double LARGEST_MULTIPLIER = 1_000;
    private static final Duration LONGEST_TRANSACTION = Duration.ofDays(1);

    static DeliveryPolicy of(TaskActivationSpec spec) throws InvalidPropertyException {
        Properties read = new Properties();
        DeliveryPolicy policy = new DeliveryPolicy(
                read.text("tube", spec.getTube(), TubeDefinition::checkName),
                spec instanceof TaskBatchActivationSpec ? ListenerMethod.ON_TASKS : ListenerMethod.ON_TASK,
                read.number("maxSession", spec.getMaxSession(), 1, MOST_SESSIONS),
                spec instanceof TaskBatchActivationSpec batches
                        ? read.number("batchSize", batches.getBatchSize(), 1, MOST_PER_BATCH)
                        : 1,
                retry(read, spec),
                transactionTimeout(read, spec.getTransactionTimeout()),
                read.flag("gatherAcks", spec.getGatherAcks()),
                read.flag("handOver", spec.getHandOver()));
        read.check();
        return policy;
    }

    private static RetryPolicy retry(Properties read, TaskActivationSpec spec) {
        RetryPolicy retry = new RetryPolicy(
                read.number("maxAttempts", spec.getMaxAttempts(), 0, MOST_ATTEMPTS),
                read.duration("retryDelay", spec.getRetryDelay(), Duration.ZERO, TubeDefinition.MAX_DURATION),
                read.decimal("retryMultiplier", spec.getRetryMultiplier(), 1, LARGEST_MULTIPLIER),
                read.duration("maxRetryDelay", spec.getMaxRetryDelay(), Duration.ZERO, TubeDefinition.MAX_DURATION));
        if (retry.maxDelay().compareTo(retry.delay()) < 0) {
            read.refuse("property maxRetryDelay (" + spec.getMaxRetryDelay() + ") is below retryDelay ("
                    + spec.getRetryDelay() + ")");
        }
        return retry;
    }

    /** Rounds up to whole seconds, because JTA has no finer timeouts. */
    private static Optional<Duration> transactionTimeout(Properties read, String configured) {
        Duration timeout = read.duration("transactionTimeout", configured, Duration.ZERO, LONGEST_TRANSACTION);
        return timeout.isZero() ? Optional.empty() : Optional.of(Duration.ofSeconds((timeout.toMillis() + 999) / 1000));
    }
}
