package org.tasktube.store;

import java.util.List;
import org.tasktube.admin.DeadServer;

/**
 * What the database answers to a heartbeat.
 *
 * @param known false if other servers have taken the one that beats for dead; then the rest has no meaning
 * @param servers all servers that are up, or have left something to release
 * @param dead the servers that have died during the last day, and of which nothing is left to release; without those
 *     that somebody has dismissed
 */
public record Pulse(boolean known, List<Peer> servers, List<DeadServer> dead) {}
