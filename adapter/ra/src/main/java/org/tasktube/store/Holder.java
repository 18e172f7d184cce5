package org.tasktube.store;

import java.util.UUID;

/**
 * The holder of a task: a session on one server.
 *
 * @param node the number of the server
 */
public record Holder(UUID session, int node) {}
