/**
 * Who holds tasks: {@link org.tasktube.session.Session} is a holder, {@link org.tasktube.session.ClientConnection} takes
 * for one, and {@link org.tasktube.session.CurrentDelivery} has a bean's thread act for one. When sessions end is decided
 * by {@code org.tasktube.node}, which knows what other servers have.
 */
package org.tasktube.session;
