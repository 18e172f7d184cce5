package org.tasktube.store.memory;

import java.time.Instant;
import org.tasktube.store.Holder;

/** The holder of a taken task, and the time of the take; the token identifies this one taking. */
record Taking(Holder holder, long token, Instant at) {}
