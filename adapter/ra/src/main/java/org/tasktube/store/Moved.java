package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;

/** A task was moved; what happens to it next by itself is so far away. */
public record Moved(Optional<Duration> untilEvent) {}
