/**
 * How does one server live, from the adapter's start to its end? Only this package sees all tubes of the server.
 * {@link org.tasktube.node.Node} connects the parts, and {@link org.tasktube.node.Maintenance} is the thread that keeps
 * them going, with its schedule.
 *
 * <p>{@code StoreConnector} opens the store and registers this server in it, and {@code StoreAccess} gives the store to
 * callers. {@code Sweeper} applies expired ttls, ttrs and delays, ends sessions and fires schedules. {@code DeadServers}
 * releases the tasks of dead servers, {@code Sessions} those of ended sessions, and {@code HolderCheck} those without any
 * holder. {@code ClusterPoll} looks for changes of other servers.
 *
 * <p>Easy to get wrong here:
 *
 * <ul>
 *   <li>The thread that ends a transaction must not use a datasource. Such work goes to the maintenance thread, by
 *       {@code MaintenanceQueue.execute}.
 *   <li>Nothing on the maintenance thread may wait for an application or a pool, nor longer than a second for a
 *       lock, because deadlines and polls depend on it. Such work goes to the {@code BackgroundThread}.
 *   <li>A claim's token is in the {@code ClaimLedger} before the statement is sent, and leaves it only when a
 *       session holds the task. Otherwise the check would release a task that is being claimed.
 * </ul>
 */
package org.tasktube.node;
