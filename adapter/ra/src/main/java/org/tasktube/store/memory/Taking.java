package org.tasktube.store.memory;

import java.time.Instant;
import org.tasktube.store.Holder;

/** Who has taken a task, and since when; the token names this one taking. */
record Taking(Holder holder, long token, Instant at) {}
