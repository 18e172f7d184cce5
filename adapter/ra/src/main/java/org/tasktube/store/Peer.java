package org.tasktube.store;

import java.time.Instant;

/**
 * A server that has registered.
 *
 * @param seenAt when it last said that it is up, by the database's clock
 * @param overdue whether that is too long ago, by the same clock
 * @param dead whether some server has taken it for dead; what it holds is to be released
 */
public record Peer(int node, String name, Instant seenAt, boolean overdue, boolean dead) {}
