package org.tasktube;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * The properties of a task besides those that {@link Task} has, as data and headers: the fields of tarantool's older
 * API, and the last failed delivery. All times are the database's clock.
 *
 * @param id the id
 * @param tube the name of the tube
 * @param state the state
 * @param event the time when the delay, ttr or ttl of its state expires; empty for never
 * @param pri the priority, smaller first
 * @param utube the sub-queue; empty for none
 * @param uniqueKey the key of its {@link Tube#putUnique}; empty for none
 * @param session the session that holds it, if it is TAKEN (cid of the older API)
 * @param takenAt the time of the take, if it is TAKEN
 * @param created the time of the put
 * @param ttl the whole time to live since the put, with all delays and each touch's increment; empty for infinite
 * @param ttr the time to run, from the put or the tube; a touch does not change it; empty for infinite
 * @param buriedCount the number of times it was buried (cbury)
 * @param takenCount the number of times it was taken (ctaken)
 * @param attempts the number of takes since the put or the last kick
 * @param lastFailure the last failed delivery to a bean
 * @param now the time of this answer
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
