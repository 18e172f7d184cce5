package org.tasktube.store;

/**
 * What may have changed in the registry by the time or by other servers.
 *
 * @param sessionsOver true if the time of a registered session without a connection is over
 * @param tubes a text that is another one after a tube was created, changed or dropped, but the former one after both the
 *     creation and the drop of a tube
 */
public record RegistryNews(boolean sessionsOver, String tubes) {}
