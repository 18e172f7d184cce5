package org.tasktube.store;

import java.time.Duration;
import java.util.List;

/**
 * A session that a server has left.
 *
 * @param kept the time for which it stays without a connection
 * @param released the tasks that the end of the session has released
 */
public record LeftSession(Duration kept, List<Released> released) {}
