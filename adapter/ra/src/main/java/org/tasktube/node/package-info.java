/**
 * One server's life, and the only room that sees all its tubes. {@link org.tasktube.node.Node} puts the parts together;
 * {@link org.tasktube.node.Maintenance} is the thread that keeps them going, and its schedule.
 *
 * <p>{@code StoreConnector} opens the store and registers this server in it, {@code StoreAccess} hands the store out.
 * {@code Sweeper} does what is due by ttl, ttr and delay. {@code DeadServers} releases what dead servers held,
 * {@code Sessions} what sessions held that ended, {@code Custody} what nobody holds at all. {@code ClusterPoll} looks for
 * what other servers did.
 */
package org.tasktube.node;
