package org.tasktube.admin;

import java.time.Duration;
import java.time.Instant;

/**
 * A transaction of the database, of anybody, that is open for long. Until it ends, PostgreSQL removes no row that was
 * updated or deleted since it began, so tables grow, and takes become slower.
 *
 * @param holder what has it, in words: a process with its user, its application, its address and its state, or a
 *     prepared transaction
 * @param since when it began, by the clock of the database
 * @param age the time since then
 * @param nextStep what to do if it is not meant so
 */
public record OldTransaction(String holder, Instant since, Duration age, String nextStep) {}
