package org.tasktube.node.admin;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.tasktube.Fingerprint;
import org.tasktube.TaskState;
import org.tasktube.admin.FilterCondition;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Scan;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;

/**
 * One range of a search. It has the tasks of a tube in a state, the blocked ones of a tube, those with a value in a
 * searchable field, the tasks of a kind of failures in a state, all tasks that have failed, or all tasks.
 *
 * @param tube the tube; empty for all of them
 * @param blocked true for the READY tasks that are blocked in their sub-queues
 * @param failure the kind of the last failure, as a number; empty for all tasks
 * @param failed true for all tasks that have failed
 * @param hash the hash of a value in a searchable field of the tube; empty for all values
 * @param value the condition on that value. A task that the index still has under a former value does not fit it
 */
record SearchStep(
        Optional<StoredTube> tube,
        TaskState state,
        boolean blocked,
        OptionalLong failure,
        boolean failed,
        OptionalLong hash,
        Optional<FilterCondition> value) {

    private static final List<TaskState> STATES = List.of(TaskState.values());

    /** The begin of the names of steps that read an index. They come before all others. */
    private static final String INDEXED = "A-";

    /** A position in a search, from which it can go on. */
    record Place(String step, String utube, OrderKey after) {

        private static final int PARTS = 5;

        /**
         * Reads a position.
         *
         * @throws IllegalArgumentException if the text is none
         */
        static Place parse(String text) {
            try {
                String[] parts = text.split("\\.", -1);
                if (parts.length == PARTS) {
                    byte[] utube = Base64.getUrlDecoder().decode(parts[4]);
                    return new Place(
                            parts[0],
                            new String(utube, StandardCharsets.UTF_8),
                            new OrderKey(
                                    Integer.parseInt(parts[1]), Long.parseLong(parts[2]), Long.parseLong(parts[3])));
                }
            } catch (IllegalArgumentException e) {
                throw notAPlace(text, e);
            }
            throw notAPlace(text, null);
        }

        private static IllegalArgumentException notAPlace(String text, Exception cause) {
            return new IllegalArgumentException(
                    "'" + text + "' is no position of a search; give the next() of the page before, or begin anew",
                    cause);
        }

        @Override
        public String toString() {
            return step + "." + after.pri() + "." + after.ord() + "." + after.id() + "."
                    + Base64.getUrlEncoder().withoutPadding().encodeToString(utube.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Returns whether the step of that name reads an index. */
    static boolean isIndexed(String name) {
        return name.startsWith(INDEXED);
    }

    /** The step that reads all tasks of the database. */
    static SearchStep newest() {
        return new SearchStep(
                Optional.empty(),
                TaskState.READY,
                false,
                OptionalLong.empty(),
                false,
                OptionalLong.empty(),
                Optional.empty());
    }

    /** The step that reads the tasks of the database that have failed. */
    static SearchStep ofFailed() {
        return new SearchStep(
                Optional.empty(),
                TaskState.READY,
                false,
                OptionalLong.empty(),
                true,
                OptionalLong.empty(),
                Optional.empty());
    }

    /** The step that reads the tasks of a tube in a state. */
    static SearchStep of(StoredTube tube, TaskState state, boolean blocked) {
        return new SearchStep(
                Optional.of(tube), state, blocked, OptionalLong.empty(), false, OptionalLong.empty(), Optional.empty());
    }

    /** The step that reads the tasks of the database whose last failure is of a kind. */
    static SearchStep ofKind(long failure, TaskState state) {
        return new SearchStep(
                Optional.empty(),
                state,
                false,
                OptionalLong.of(failure),
                false,
                OptionalLong.empty(),
                Optional.empty());
    }

    /** The step that reads the tasks of a tube with a value in a searchable field, or another value of its hash. */
    static SearchStep indexed(StoredTube tube, long hash, FilterCondition value) {
        return new SearchStep(
                Optional.of(tube),
                TaskState.READY,
                false,
                OptionalLong.empty(),
                false,
                OptionalLong.of(hash),
                Optional.of(value));
    }

    /** Returns the name of the step in positions. Steps come in the order of their names. */
    String name() {
        if (failure.isPresent()) {
            return "f-" + Fingerprint.hex(failure.getAsLong()) + "!" + STATES.indexOf(state);
        }
        if (failed) {
            return "failed";
        }
        if (hash.isPresent()) {
            return INDEXED + tube.orElseThrow().index().id() + "!" + Fingerprint.hex(hash.getAsLong());
        }
        return tube.map(in -> "t-" + in.name() + "!" + STATES.indexOf(state) + (blocked ? "+" : ""))
                .orElse("all");
    }

    Place start() {
        if (failure.isPresent()) {
            return after(new OrderKey(0, 0, 0));
        }
        if (failed) {
            return after(new OrderKey(' ', Long.MIN_VALUE, 0));
        }
        boolean isNewestFirst = tube.isEmpty() || hash.isPresent();
        return new Place(name(), "", isNewestFirst ? new OrderKey(0, 0, Long.MAX_VALUE) : OrderKey.START);
    }

    Scan scan(Place from, int max) {
        if (failure.isPresent()) {
            return new Scan.OfKind(failure.getAsLong(), state, from.after().id(), max);
        }
        if (failed) {
            return new Scan.Failed(from.after(), max);
        }
        if (hash.isPresent()) {
            return new Scan.Indexed(
                    tube.orElseThrow(), hash.getAsLong(), from.after().id(), max);
        }
        if (tube.isEmpty()) {
            return new Scan.Newest(from.after().id(), max);
        }
        return blocked
                ? new Scan.Blocked(tube.get(), from.utube(), from.after(), max)
                : new Scan.InOrder(tube.get(), state, from.after(), max);
    }

    /** Returns the position after a task. */
    Place after(ScannedTask task) {
        if (isInOrder()) {
            return new Place(name(), task.meta().utube().orElse(""), task.place());
        }
        long id = task.meta().id();
        return after(
                failed
                        ? new OrderKey(
                                task.meta().state().letter(),
                                task.meta()
                                        .lastFailure()
                                        .orElseThrow()
                                        .fingerprint()
                                        .number(),
                                id)
                        : new OrderKey(0, 0, id));
    }

    /** Returns whether the step reads tasks in the order of take. Then only a task says where it was. */
    boolean isInOrder() {
        return tube.isPresent() && hash.isEmpty();
    }

    /** Returns the position after a place, in a step that does not read tasks in the order of take. */
    Place after(OrderKey last) {
        return new Place(name(), "", last);
    }
}
