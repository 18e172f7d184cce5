package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;
import org.tasktube.Task;

/** A task that was just taken, where it stood, and how long its holder has. */
public record ClaimedTask(Task task, OrderKey key, Optional<Duration> ttr) {}
