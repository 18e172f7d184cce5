package org.tasktube.admin;

import java.time.Instant;

/**
 * A server that others have taken for dead during the last day.
 *
 * @param name its node name
 * @param number the number that it had in the database
 * @param at the time when its tasks were released, by the database's clock
 * @param released the number of tasks that it held, and that were released
 */
public record DeadServer(String name, int number, Instant at, long released) {}
