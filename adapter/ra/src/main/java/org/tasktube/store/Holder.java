package org.tasktube.store;

import java.util.UUID;

/** Who holds a task: a session, on the server with that number. */
public record Holder(UUID session, int node) {}
