package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.store.Place;

/**
 * One version of a task, with the columns of the table. A version that somebody can see is never changed: a change is made
 * to a copy. What is not there is null, as in the table.
 */
final class Row implements Cloneable {

    /** What a task costs besides its data, by estimate: this object, its slot, and its entries in indexes. */
    private static final int OVERHEAD = 400;

    TaskState state;
    Place place;
    Instant created;
    Instant event;
    Instant expires;
    Duration ttr;
    UUID session;
    long token;
    int node;
    Instant takenAt;
    int attempts;
    int taken;
    int buried;
    String utube;
    boolean behind;
    String key;
    TaskData data;
    TaskFailure failure;
    TaskResult result;

    Row copy() {
        try {
            return (Row) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** Nobody holds it any more. */
    void unhold() {
        session = null;
        token = 0;
        node = 0;
        takenAt = null;
    }

    /** Ready by itself or by somebody who does not hold it: in a sub-queue it waits for its turn. */
    void becomeReady() {
        state = TaskState.READY;
        event = expires;
        behind = utube != null;
    }

    boolean isOver(Instant now) {
        return expires != null && !expires.isAfter(now);
    }

    int pri() {
        return place.pri();
    }

    long bytes() {
        return (long) OVERHEAD + data.size() + (result == null ? 0 : result.data().size());
    }

    Task toTask(long id, String tube) {
        return new Task(id, tube, state, pri(), attempts, token, utube == null ? "" : utube, data);
    }

    TaskMeta toMeta(long id, String tube, Instant now) {
        return new TaskMeta(
                id,
                tube,
                state,
                Optional.ofNullable(event),
                pri(),
                Optional.ofNullable(utube),
                Optional.ofNullable(key),
                Optional.ofNullable(session),
                Optional.ofNullable(takenAt),
                created,
                Optional.ofNullable(expires).map(end -> Duration.between(created, end)),
                Optional.ofNullable(ttr),
                buried,
                taken,
                attempts,
                Optional.ofNullable(failure),
                now);
    }
}
