package org.tasktube;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * What is known about a task besides its data: the fields of tarantool's older API, and what a bean's delivery left. All
 * times are the database's clock; for temporary tubes they are the server's.
 *
 * @param event when the next thing happens to it by itself in its state: delay, ttr or ttl over; empty for never
 * @param pri the priority, smaller first
 * @param utube the sub-queue it is in
 * @param uniqueKey what it was put as the only one of
 * @param session who holds it, if it is taken (cid of the older API)
 * @param takenAt since when, if it is taken
 * @param created when it was put
 * @param ttl how long it lives from put, in all: with its delays, and with what each touch has added; empty for infinite
 * @param ttr how long a holder may work on it, as put or the tube said; a touch does not change it; empty for infinite
 * @param buriedCount how often it was buried (cbury)
 * @param takenCount how often it was taken (ctaken)
 * @param attempts how often it was taken since it was put or last kicked
 * @param lastFailure what the last failed delivery to a bean said
 * @param now the database's time of this answer
 */
public record TaskMeta(
        long id,
        String tube,
        TaskState state,
        Optional<Instant> event,
        int pri,
        Optional<String> utube,
        Optional<String> uniqueKey,
        Optional<UUID> session,
        Optional<Instant> takenAt,
        Instant created,
        Optional<Duration> ttl,
        Optional<Duration> ttr,
        int buriedCount,
        int takenCount,
        int attempts,
        Optional<TaskFailure> lastFailure,
        Instant now) {}
