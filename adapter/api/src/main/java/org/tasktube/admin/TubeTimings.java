package org.tasktube.admin;

/**
 * How long tasks of a tube waited and ran, on this server since its start.
 *
 * @param tube the name of the tube
 * @param waits the time from the put to the first take, in whole milliseconds of the database's clock. A delay counts.
 *     A later take of the same task does not
 * @param runs the time from the take to the ack, with or without a result, by this server's clock. The time in which a
 *     server holds a task ahead for a bean counts. Other ends of a take do not count, nor acks on another server than
 *     that of the take
 */
public record TubeTimings(String tube, Histogram waits, Histogram runs) {}
