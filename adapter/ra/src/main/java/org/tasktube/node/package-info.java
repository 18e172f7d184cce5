/**
 * How does one server live, from the adapter's start to its end? Only this package sees all tubes of the server.
 * {@link org.tasktube.node.Node} connects the parts, and {@link org.tasktube.node.Maintenance} is the thread that keeps
 * them going, with its schedule.
 *
 * <p>{@code StoreConnector} opens the store and registers this server in it, and {@code StoreAccess} gives the store to
 * callers. {@code Sweeper} applies expired ttls, ttrs and delays. {@code DeadServers} releases the tasks of dead
 * servers, {@code Sessions} those of ended sessions, and {@code HolderCheck} those without any holder. {@code ClusterPoll}
 * looks for changes of other servers.
 */
package org.tasktube.node;
