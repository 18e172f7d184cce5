package org.tasktube.model;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.tasktube.TaskResult;
import org.tasktube.TubeDefinition;
import org.tasktube.store.StoredTube;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

/** A store under a clock that can be set, with a transaction for each actor that begins one. */
abstract class Environment implements AutoCloseable {

    private final TestStore store;
    private final Map<Integer, TestTransaction> transactions = new HashMap<>();
    private int actor;

    Environment(TestStore store) {
        this.store = store;
    }

    /** All tasks of these tubes, as the actor sees them. */
    abstract Map<Long, Version> contents(List<StoredTube> tubes) throws SQLException;

    /**
     * Returns whether a put is done whenever it fits, however the open transactions end; a database may refuse some of
     * these, as it keeps slots for transactions that have asked for them.
     */
    abstract boolean hasExactCapacity();

    TaskStore store() {
        return store.tasks();
    }

    StoredTube create(TubeDefinition tube, boolean subQueues) {
        return store.create(tube, subQueues);
    }

    void setClock(Instant now) {
        store.setClock(now);
    }

    /** What comes is done by that actor, in its transaction if it has begun one. */
    void as(int who) {
        suspend();
        actor = who;
        resume();
    }

    void begin(int who) {
        suspend();
        transactions.put(who, store.begin());
        resume();
    }

    void end(int who, boolean commit) {
        suspend();
        try (TestTransaction ending = transactions.remove(who)) {
            if (commit) {
                ending.commit();
            }
        } finally {
            resume();
        }
    }

    private void suspend() {
        if (transactions.containsKey(actor)) {
            transactions.get(actor).suspend();
        }
    }

    private void resume() {
        if (transactions.containsKey(actor)) {
            transactions.get(actor).resume();
        }
    }

    @Override
    public void close() {
        store.close();
    }

    static UUID session(int actor) {
        return new UUID(7, actor);
    }

    static int actor(UUID session) {
        return session == null ? Model.NONE : (int) session.getLeastSignificantBits();
    }

    static Long millis(Instant time) {
        return time == null ? null : exactly(Duration.between(TestStore.START, time));
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
