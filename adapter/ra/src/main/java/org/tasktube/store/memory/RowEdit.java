package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.tasktube.TaskState;
import org.tasktube.store.Change;
import org.tasktube.store.Holder;
import org.tasktube.store.Transition;

/** Edits a copy of a row at a given time, as the statement of the same change does in a database. */
@FunctionalInterface
interface RowEdit {

    void apply(Row row, Instant now);

    /** Returns the edit of a take. */
    static RowEdit take(Holder holder, long token) {
        return (row, now) -> {
            row.state = TaskState.TAKEN;
            row.taking = new Taking(holder, token, now);
            row.event = ttrFrom(row, now);
            row.attempts++;
            row.taken++;
        };
    }

    /**
     * Returns the edit of any other change. The transition table gives the state and the next deadline, the change's
     * values the rest.
     *
     * @param newId gives the order number of a requeued task
     */
    static RowEdit of(Change change, LongSupplier newId) {
        return (row, now) -> {
            Transition transition = change.transition();
            TaskState before = row.state;
            row.state = transition.to().orElseThrow();
            if (row.state != TaskState.TAKEN) {
                row.taking = null;
            }
            if (transition == Transition.REQUEUE) {
                row.ord = newId.getAsLong();
            }
            change.failure().ifPresent(failure -> {
                row.failure = failure;
                row.failedAt = now;
            });
            count(row, before, transition);
            setExpiry(row, now, change);
            row.event = nextDeadline(row, now, change);
            // A task that returns to its sub-queue is blocked until its promotion; a former head stays the head
            row.blocked = row.state == TaskState.READY
                    && row.utube != null
                    && (before != TaskState.TAKEN || transition == Transition.REQUEUE);
        };
    }

    private static void count(Row row, TaskState before, Transition transition) {
        if (row.state == TaskState.BURIED) {
            row.buried++;
        } else if (before == TaskState.BURIED) {
            row.attempts = 0;
        } else if (transition == Transition.RETURN_UNSTARTED) {
            row.attempts--;
        }
    }

    private static void setExpiry(Row row, Instant now, Change change) {
        Duration delay = change.delay().orElse(Duration.ZERO);
        change.result().ifPresent(result -> {
            row.result = result;
            row.key = null;
            row.expires = Row.later(now, result.ttl());
        });
        change.increment().ifPresent(increment -> row.expires = Row.later(row.expires, increment));
        change.ttl()
                .ifPresentOrElse(
                        ttl -> row.expires = Row.later(Row.later(now, delay), ttl),
                        () -> row.expires = Row.later(row.expires, delay));
    }

    private static Instant nextDeadline(Row row, Instant now, Change change) {
        return switch (change.transition().deadline()) {
            case TTL, RESULT_TTL -> row.expires;
            case DELAY -> Row.later(now, change.delay().orElseThrow());
            case TTR ->
                change.increment()
                        .map(increment -> Row.later(row.event, increment))
                        .orElseGet(() -> ttrFrom(row, now));
            case NONE -> null;
        };
    }

    private static Instant ttrFrom(Row row, Instant now) {
        return row.ttr == null ? null : Row.later(now, row.ttr);
    }
}
