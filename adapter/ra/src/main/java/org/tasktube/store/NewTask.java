package org.tasktube.store;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;

/**
 * A task to put. Its times count from the insert, by the store's clock.
 *
 * @param state READY or DELAYED
 * @param position the position among the tasks of the same pri
 * @param untilEvent the time until the first deadline, which is the end of the delay or of the ttl; empty without one
 * @param untilExpiry the time until the end of the ttl; empty without a ttl
 * @param uniqueKey the key that no other task of the tube may have, unless that task is DONE
 * @param headers the headers in their order; empty for none
 * @param parent the task whose delivery puts it; empty if none does
 * @param uniqueFor the time from the put for which its key stays taken; empty to free it with the end of the task
 */
public record NewTask(
        TaskState state,
        int pri,
        Position position,
        Optional<Duration> untilEvent,
        Optional<Duration> untilExpiry,
        Optional<Duration> ttr,
        Optional<String> utube,
        Optional<String> uniqueKey,
        Map<String, String> headers,
        TaskData data,
        Optional<TaskId> parent,
        Optional<Duration> uniqueFor) {

    /** Creates a task that no delivery puts. */
    public NewTask(
            TaskState state,
            int pri,
            Position position,
            Optional<Duration> untilEvent,
            Optional<Duration> untilExpiry,
            Optional<Duration> ttr,
            Optional<String> utube,
            Optional<String> uniqueKey,
            Map<String, String> headers,
            TaskData data) {
        this(
                state,
                pri,
                position,
                untilEvent,
                untilExpiry,
                ttr,
                utube,
                uniqueKey,
                headers,
                data,
                Optional.empty(),
                Optional.empty());
    }

    /** Returns the same task with further headers. */
    public NewTask withHeaders(Map<String, String> further) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.putAll(further);
        return new NewTask(
                state, pri, position, untilEvent, untilExpiry, ttr, utube, uniqueKey, all, data, parent, uniqueFor);
    }

    /** Returns the transition of its put. */
    public Transition transition() {
        if (state == TaskState.DELAYED) {
            return Transition.PUT_DELAYED;
        }
        return position.end() == Position.End.FIRST ? Transition.PUT_URGENT : Transition.PUT;
    }

    /** Returns its place among the tasks of its pri, when it has this id. */
    public long ord(long id) {
        return switch (position.end()) {
            case FIRST -> -id;
            case LAST -> id;
            case NUMBER -> position.number().orElseThrow();
        };
    }

    /** Returns whether the task just goes to the end of its tube, without a sub-queue and a unique key. */
    public boolean isPlain() {
        return position.end() == Position.End.LAST && utube.isEmpty() && uniqueKey.isEmpty();
    }
}
