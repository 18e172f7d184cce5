package org.tasktube.admin;

import java.time.Duration;
import java.time.Instant;

/**
 * The oldest READY task of a tube: the one with the earliest put among the first tasks of each priority. All times are
 * the database's clock.
 *
 * <p>TaskTube does not keep the time when a task became READY. So a delay counts, and so does the time in which an
 * earlier attempt held the task.
 *
 * <p>Of the tasks that wait in a sub-queue, the first one counts, also while the one before it is TAKEN. Of the TAKEN
 * ones, the first 200 of a tube are read. Tasks whose ttl is over do not count. A requeued task has the place of its
 * requeue. It counts with its put when it is the first of its priority.
 *
 * @param tube the name of the tube
 * @param task the id of the task
 * @param put the time of its put
 * @param age the time since its put, never negative
 */
public record OldestReady(String tube, long task, Instant put, Duration age) {}
