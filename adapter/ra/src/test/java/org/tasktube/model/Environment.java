package org.tasktube.model;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.tasktube.TaskResult;
import org.tasktube.TubeDefinition;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;

/** A store under a clock that can be set, with a transaction for each actor that begins one. */
interface Environment extends AutoCloseable {

    Instant START = Instant.parse("2030-01-01T00:00:00Z");

    TaskStore store();

    StoredTube create(TubeDefinition tube, boolean subQueues);

    void setClock(Instant now) throws SQLException;

    /** What comes is done by that actor, in its transaction if it has begun one. */
    void as(int actor);

    void begin(int actor) throws SQLException;

    void end(int actor, boolean commit) throws SQLException;

    /** All tasks of these tubes, as the actor sees them. */
    Map<Long, Version> contents(List<StoredTube> tubes) throws SQLException;

    @Override
    void close() throws SQLException;

    static UUID session(int actor) {
        return new UUID(7, actor);
    }

    static int actor(UUID session) {
        return session == null ? Model.NOBODY : (int) session.getLeastSignificantBits();
    }

    static Long millis(Instant time) {
        return time == null ? null : exactly(Duration.between(START, time));
    }

    static long exactly(Duration duration) {
        if (!duration.truncatedTo(ChronoUnit.MILLIS).equals(duration)) {
            throw new AssertionError("not exact to the millisecond: " + duration);
        }
        return duration.toMillis();
    }

    static String text(TaskResult result) {
        return result.outcome() + ":" + result.data().text() + ":"
                + result.ttl().toMillis();
    }
}
