package org.tasktube.node;

import java.time.Duration;

/**
 * The adapter's configuration.
 *
 * @param nodeName the name of this server for other servers and in logs
 * @param maxDataSize the largest size of a task's data, in bytes
 * @param pollInterval the interval at which this server looks for changes of other servers
 * @param nodeTimeout the time after which a silent server counts as dead
 * @param sessionTtr the time for which a session without a connection can be joined by its id; zero for none
 * @param auditRetention the time for which rows of the audit are kept
 * @param notifies whether servers notify each other, where the database can
 * @param deliveryLogLines the most log lines to keep per delivery; 0 for none
 */
public record Settings(
        String nodeName,
        int maxDataSize,
        Duration pollInterval,
        Duration nodeTimeout,
        Duration sessionTtr,
        Duration auditRetention,
        boolean notifies,
        int deliveryLogLines) {

    /** The time for which rows of the audit are kept, unless configured. */
    public static final Duration AUDIT_RETENTION = Duration.ofDays(90);

    /** The heartbeats in the time after which a silent server counts as dead. */
    private static final int BEATS_IN_TIMEOUT = 5;

    private static final int BEATS_TO_BE_SURE = 2;

    /** Returns the time between two heartbeats of a server. */
    public Duration heartbeat() {
        return nodeTimeout.dividedBy(BEATS_IN_TIMEOUT);
    }

    /**
     * Returns the timeout of a silent server with this server's name, which is most likely a former run that was
     * killed.
     */
    Duration formerSelfTimeout() {
        return heartbeat().multipliedBy(BEATS_TO_BE_SURE);
    }

    /** Creates settings with notices and the default {@link #AUDIT_RETENTION}. */
    public Settings(
            String nodeName, int maxDataSize, Duration pollInterval, Duration nodeTimeout, Duration sessionTtr) {
        this(nodeName, maxDataSize, pollInterval, nodeTimeout, sessionTtr, AUDIT_RETENTION, true, 0);
    }
}
