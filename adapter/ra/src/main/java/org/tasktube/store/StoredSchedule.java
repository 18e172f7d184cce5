package org.tasktube.store;

import java.time.Instant;
import org.tasktube.admin.ScheduleStatus;

/**
 * A schedule as the database has it.
 *
 * @param status the schedule; its upcoming fires are not in the database
 * @param now the time of the read, by the database's clock
 */
public record StoredSchedule(ScheduleStatus status, Instant now) {}
