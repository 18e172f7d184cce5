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
 */
public record Settings(
        String nodeName,
        int maxDataSize,
        Duration pollInterval,
        Duration nodeTimeout,
        Duration sessionTtr,
        Duration auditRetention,
        boolean notifies) {

    /** The time for which rows of the audit are kept, unless configured. */
    public static final Duration AUDIT_RETENTION = Duration.ofDays(90);

    /** Creates settings with notices and the default {@link #AUDIT_RETENTION}. */
    public Settings(
            String nodeName, int maxDataSize, Duration pollInterval, Duration nodeTimeout, Duration sessionTtr) {
        this(nodeName, maxDataSize, pollInterval, nodeTimeout, sessionTtr, AUDIT_RETENTION, true);
    }
}
