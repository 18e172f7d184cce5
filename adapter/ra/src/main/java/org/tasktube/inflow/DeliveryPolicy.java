package org.tasktube.inflow;

import jakarta.resource.spi.InvalidPropertyException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.tasktube.TubeDefinition;
import org.tasktube.jca.Properties;

/**
 * An activation's properties, read and checked.
 *
 * @param declared the tube that the bean creates if it does not exist; empty if the bean waits for it
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
        boolean handOver,
        Optional<TubeDefinition> declared) {

    /** The value of a property that is not set: a server gives the adapter no empty text. */
    static final String NONE = "none";

    private static final Pattern CLASSES = Pattern.compile("[\\w$]+(\\.[\\w$]+)*(\\s*,\\s*[\\w$]+(\\.[\\w$]+)*)*");
    private static final int MOST_SESSIONS = 10_000;
    private static final int MOST_PER_BATCH = 1_000;
    private static final int MOST_ATTEMPTS = 1_000_000;
    private static final double LARGEST_MULTIPLIER = 1_000;
    private static final Duration LONGEST_TRANSACTION = Duration.ofDays(1);

    static DeliveryPolicy of(TaskActivationSpec spec) throws InvalidPropertyException {
        Properties read = new Properties();
        DeliveryPolicy policy = new DeliveryPolicy(
                read.text("tube", spec.getTube(), TubeDefinition::checkName),
                listener(spec),
                read.number("maxSession", spec.getMaxSession(), 1, MOST_SESSIONS),
                spec instanceof TaskBatchActivationSpec batches
                        ? read.number("batchSize", batches.getBatchSize(), 1, MOST_PER_BATCH)
                        : 1,
                retry(read, spec),
                transactionTimeout(read, spec.getTransactionTimeout()),
                read.flag("gatherAcks", spec.getGatherAcks()),
                read.flag("handOver", spec.getHandOver()),
                declared(read, spec));
        read.check();
        return policy;
    }

    private static ListenerMethod listener(TaskActivationSpec spec) {
        if (spec instanceof TypedTaskActivationSpec) {
            return ListenerMethod.ON_DATA;
        }
        return spec instanceof TaskBatchActivationSpec ? ListenerMethod.ON_TASKS : ListenerMethod.ON_TASK;
    }

    private static RetryPolicy retry(Properties read, TaskActivationSpec spec) {
        RetryPolicy retry = new RetryPolicy(
                read.number("maxAttempts", spec.getMaxAttempts(), 0, MOST_ATTEMPTS),
                read.duration("retryDelay", spec.getRetryDelay(), Duration.ZERO, TubeDefinition.MAX_DURATION),
                read.decimal("retryMultiplier", spec.getRetryMultiplier(), 1, LARGEST_MULTIPLIER),
                read.duration("maxRetryDelay", spec.getMaxRetryDelay(), Duration.ZERO, TubeDefinition.MAX_DURATION),
                classes(read.text("finalExceptions", spec.getFinalExceptions(), DeliveryPolicy::checkClasses)));
        if (retry.maxDelay().compareTo(retry.delay()) < 0) {
            read.refuse("property maxRetryDelay (" + spec.getMaxRetryDelay() + ") is below retryDelay ("
                    + spec.getRetryDelay() + ")");
        }
        return retry;
    }

    private static Set<String> classes(String names) {
        return names.equals(NONE) ? Set.of() : Set.of(names.split("\\s*,\\s*"));
    }

    private static String checkClasses(String names) {
        if (names.equals(NONE) || CLASSES.matcher(names).matches()) {
            return names;
        }
        throw new IllegalArgumentException("it takes names of classes with their packages, with commas between them");
    }

    /** Returns the tube that the properties of a bean declare. */
    private static Optional<TubeDefinition> declared(Properties read, TaskActivationSpec spec) {
        String type = read.text("tubeType", spec.getTubeType(), TubeDefinition::checkName);
        int capacity = read.number("tubeCapacity", spec.getTubeCapacity(), 0, TubeDefinition.MAX_CAPACITY);
        Duration ttl = read.duration("tubeTtl", spec.getTubeTtl(), Duration.ZERO, TubeDefinition.MAX_DURATION);
        Duration ttr = read.duration("tubeTtr", spec.getTubeTtr(), Duration.ZERO, TubeDefinition.MAX_DURATION);
        if (type.equals(NONE)) {
            if (capacity > 0 || !ttl.isZero() || !ttr.isZero()) {
                read.refuse("properties tubeCapacity, tubeTtl and tubeTtr need a tubeType; set it, or leave them out");
            }
            return Optional.empty();
        }
        try {
            TubeDefinition tube = TubeDefinition.of(spec.getTube(), type);
            tube = capacity > 0 ? tube.capacity(capacity) : tube;
            tube = ttl.isZero() ? tube : tube.ttl(ttl);
            return Optional.of(ttr.isZero() ? tube : tube.ttr(ttr));
        } catch (IllegalArgumentException | NullPointerException e) {
            // The property tube is refused already
            return Optional.empty();
        }
    }

    /** Rounds up to whole seconds, because JTA has no finer timeouts. */
    private static Optional<Duration> transactionTimeout(Properties read, String configured) {
        Duration timeout = read.duration("transactionTimeout", configured, Duration.ZERO, LONGEST_TRANSACTION);
        return timeout.isZero() ? Optional.empty() : Optional.of(Duration.ofSeconds((timeout.toMillis() + 999) / 1000));
    }
}
