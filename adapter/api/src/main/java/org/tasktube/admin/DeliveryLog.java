package org.tasktube.admin;

import java.time.Instant;
import java.util.List;

/**
 * What was logged on the thread of a bean during the delivery of a task, if the adapter keeps that.
 *
 * @param attempt the number of the attempt
 * @param server the name of the server
 * @param at the time when it was written, soon after the delivery
 * @param lines the lines, each with its time by the server's clock, its level and its logger. If there were more than
 *     the adapter keeps, the last one says so
 */
public record DeliveryLog(int attempt, String server, Instant at, List<String> lines) {}
