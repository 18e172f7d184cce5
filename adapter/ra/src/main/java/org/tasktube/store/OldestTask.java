package org.tasktube.store;

import java.time.Instant;

/**
 * The oldest READY task of a tube.
 *
 * @param tube the name of the tube
 * @param created the time of its put
 * @param now the time of the read
 */
public record OldestTask(String tube, long id, Instant created, Instant now) {}
