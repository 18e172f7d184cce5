package org.tasktube.admin;

import java.time.Duration;
import java.util.List;

/**
 * Times that this server has measured since its start.
 *
 * @param tubes the tubes that this server knows, by name
 * @param deadlineLag how late the transitions of expired delays, ttrs and ttls were that this server applied: the time
 *     from the deadline to the sweep. While a transaction has locked a task, its deadline waits for that transaction
 * @param overdue by how much the next deadline that this server knows is late now; zero if it is not
 * @param roundTrips the number of statements and commits that this server has sent to the database since it opened the
 *     tables. Reads by JPA, and commits of JTA transactions, are not counted
 */
public record ServerTimings(List<TubeTimings> tubes, Histogram deadlineLag, Duration overdue, long roundTrips) {}
