package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.store.Holder;

/** Each change of a task, under the name that its statement has for a database: what it sets, nothing else. */
final class Moves {

    private Moves() {}

    /** Changes a copy of a row at a time. */
    @FunctionalInterface
    interface Move {
        void make(Row row, Instant now);
    }

    static Move take(Holder holder, long token) {
        return (row, now) -> {
            row.state = TaskState.TAKEN;
            row.taking = new Taking(holder, token, now);
            row.event = deadline(row, now);
            row.attempts++;
            row.taken++;
        };
    }

    static Move done(TaskResult result) {
        return (row, now) -> {
            row.state = TaskState.DONE;
            row.taking = null;
            row.key = null;
            row.result = result;
            row.expires = Row.later(now, result.ttl());
            row.event = row.expires;
        };
    }

    static void release(Row row, Instant now) {
        row.state = TaskState.READY;
        row.taking = null;
        row.event = row.expires;
    }

    static Move release(Duration delay, Optional<Duration> ttl) {
        if (ttl.isPresent()) {
            return releaseForLife(delay, ttl.get());
        }
        return delay.toMillis() == 0 ? Moves::release : (row, now) -> delay(row, now, delay);
    }

    private static Move releaseForLife(Duration delay, Duration ttl) {
        boolean atOnce = delay.toMillis() == 0;
        return (row, now) -> {
            row.state = atOnce ? TaskState.READY : TaskState.DELAYED;
            row.taking = null;
            row.expires = Row.later(Row.later(now, delay), ttl);
            row.event = atOnce ? row.expires : Row.later(now, delay);
        };
    }

    private static void delay(Row row, Instant now, Duration delay) {
        row.state = TaskState.DELAYED;
        row.taking = null;
        row.event = Row.later(now, delay);
        row.expires = Row.later(row.expires, delay);
    }

    static void requeue(Row row, Instant now, long ord) {
        release(row, now);
        row.ord = ord;
        row.behind = row.utube != null;
    }

    static void bury(Row row, Instant now) {
        row.state = TaskState.BURIED;
        row.taking = null;
        row.event = row.expires;
        row.behind = false;
        row.buried++;
    }

    static Move touch(Duration increment) {
        return (row, now) -> {
            row.event = Row.later(row.event, increment);
            row.expires = Row.later(row.expires, increment);
        };
    }

    static void heartbeat(Row row, Instant now) {
        row.event = deadline(row, now);
    }

    private static Instant deadline(Row row, Instant now) {
        return row.ttr == null ? null : Row.later(now, row.ttr);
    }

    static Move fail(TaskFailure failure, Optional<Duration> delay) {
        Move after = delay.isEmpty() ? Moves::bury : release(delay.get(), Optional.empty());
        return (row, now) -> {
            row.failure = failure;
            after.make(row, now);
        };
    }

    /** The attempt does not count. */
    static void giveBack(Row row, Instant now) {
        release(row, now);
        row.attempts--;
    }

    static void kick(Row row, Instant now) {
        row.state = TaskState.READY;
        row.attempts = 0;
        row.behind = row.utube != null;
    }

    /** The end of a ttr or of a delay. */
    static void makeReady(Row row, Instant now) {
        row.behind = row.utube != null && row.state == TaskState.DELAYED;
        release(row, now);
    }
}
