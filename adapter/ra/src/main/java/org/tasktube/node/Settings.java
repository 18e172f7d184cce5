package org.tasktube.node;

import java.time.Duration;

/**
 * What the adapter was configured with.
 *
 * @param nodeName names this server to the others and in logs
 * @param maxDataSize the most bytes a task may carry
 * @param pollInterval how long a task put on another server may go unseen here
 * @param nodeTimeout how long a server that says nothing is taken for alive
 * @param sessionTtr how long a session without a connection may be taken up again by who knows its id; zero for not
 */
public record Settings(
        String nodeName, int maxDataSize, Duration pollInterval, Duration nodeTimeout, Duration sessionTtr) {}
