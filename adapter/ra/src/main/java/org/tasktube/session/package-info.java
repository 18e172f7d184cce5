/**
 * How does TaskTube know the holder of a task? A {@link org.tasktube.session.Session} is a holder, and a
 * {@link org.tasktube.session.ClientConnection} takes for one. By {@link org.tasktube.session.CurrentDelivery}, a
 * bean's thread acts for one. The package {@code org.tasktube.node} decides when sessions end, because it knows the
 * other servers' sessions.
 */
package org.tasktube.session;
