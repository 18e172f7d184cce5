package org.tasktube.store;

import java.util.List;

/**
 * What the database answers to a heartbeat.
 *
 * @param known false if other servers have taken the one that beats for dead; then the rest has no meaning
 * @param servers all servers
 */
public record Pulse(boolean known, List<Peer> servers) {}
