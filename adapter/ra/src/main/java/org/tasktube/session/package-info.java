/**
 * How does TaskTube know the holder of a task? A {@link org.tasktube.session.Session} is a holder, and a
 * {@link org.tasktube.session.ClientConnection} takes for one. By {@link org.tasktube.session.CurrentDelivery}, a
 * bean's thread acts for one. The package {@code org.tasktube.node} decides when sessions end, because it knows the
 * other servers' sessions.
 *
 * <p>A session holds the tasks that it took from the commit on. If the connection of a take is closed in the transaction, the task is released after the commit.
 *
 * <ul>
 *   <li>An operation of the holder names the session and the token of the take, so a holder that is too late is
 *       refused.
 * </ul>
 */
package org.tasktube.session;
