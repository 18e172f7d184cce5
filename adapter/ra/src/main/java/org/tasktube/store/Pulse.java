package org.tasktube.store;

import java.util.List;

/**
 * What the database answers to a heartbeat, so that an idle server needs no other statement for it.
 *
 * @param known false if other servers have taken the one that beats for dead; then the rest has no meaning
 * @param servers all servers
 * @param sessionsOver true if the time of a registered session without a connection is over
 * @param tubes a text that is another one after a tube was created, changed or dropped, but the former
 *     one after both the creation and the drop of a tube; empty if it was not read
 */
public record Pulse(boolean known, List<Peer> servers, boolean sessionsOver, String tubes) {}
