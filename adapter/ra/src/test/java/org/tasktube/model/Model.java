package org.tasktube.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.function.Consumer;
import org.tasktube.TaskState;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;

/**
 * What stores do, in plain lists; written from the contract and not from their code. Tasks are numbered as they are
 * put.
 */
final class Model {

    /** Sessions that act; the first is never in a transaction. */
    static final int ACTORS = 5;

    static final int NONE = -1;

    /** A task was taken: by whom, by which claim, and with which order key. */
    record Taking(ModelTube tube, int number, int actor, int token, OrderKey key) {}

    private final List<ModelTube> tubes;
    private final boolean[] inTransaction = new boolean[ACTORS];
    private final List<Taking> takings = new ArrayList<>();
    private int numbers;
    private int tokens;
    private long now;

    Model(List<StoredTube> tubes) {
        this.tubes = tubes.stream().map(ModelTube::new).toList();
    }

    long now() {
        return now;
    }

    void advance(long millis) {
        now += millis;
    }

    List<ModelTube> tubes() {
        return tubes;
    }

    List<Taking> takings() {
        return takings;
    }

    // Transactions

    boolean isInTransaction(int actor) {
        return inTransaction[actor];
    }

    boolean isAnyInTransaction() {
        boolean any = false;
        for (boolean open : inTransaction) {
            any |= open;
        }
        return any;
    }

    void begin(int actor) {
        inTransaction[actor] = true;
    }

    void end(int actor, boolean commit) {
        inTransaction[actor] = false;
        tubes.forEach(tube -> {
            if (commit) {
                tube.commit(actor);
            } else {
                tube.rollback(actor);
            }
        });
    }

    // Changes

    private void change(ModelTube tube, int number, Version version, int actor) {
        tube.change(number, version, actor, inTransaction[actor]);
    }

    /** The next number, which is also the last position. */
    int put(ModelTube tube, Version task, boolean urgent, int actor) {
        Map.copyOf(tube.seen(actor)).forEach((number, over) -> {
            if (task.key != null && ModelTube.hasKey(over, task.key)) {
                changed(tube, number, over, actor, version -> version.key = null);
            }
        });
        numbers++;
        task.ord = urgent ? -numbers : numbers;
        change(tube, numbers, task, actor);
        return numbers;
    }

    Optional<Integer> withKey(ModelTube tube, String key, int actor) {
        NavigableMap<Integer, Version> seen = tube.seen(actor);
        return seen.keySet().stream()
                .filter(number -> ModelTube.hasKey(seen.get(number), key))
                .filter(number -> seen.get(number).isIn(TaskState.TAKEN)
                        || !seen.get(number).isOver(now))
                .findFirst();
    }

    /** The task as it is then; empty if it does not exist, or is not in that state. */
    Optional<Version> change(ModelTube tube, int number, TaskState from, int actor, Consumer<Version> change) {
        return Optional.ofNullable(tube.seen(actor).get(number))
                .filter(task -> task.isIn(from))
                .map(task -> changed(tube, number, task, actor, change));
    }

    private Version changed(ModelTube tube, int number, Version task, int actor, Consumer<Version> change) {
        Version copy = task.copy();
        change.accept(copy);
        change(tube, number, copy, actor);
        return copy;
    }

    boolean holds(ModelTube tube, Taking taking, int actor) {
        Version task = tube.seen(actor).get(taking.number());
        return task != null && task.isIn(TaskState.TAKEN) && task.session == actor && task.token == taking.token();
    }

    /** A change by the holder; empty if the actor does not hold the task. */
    Optional<Version> changeHeld(ModelTube tube, Taking taking, int actor, Consumer<Version> change) {
        return holds(tube, taking, actor)
                ? change(tube, taking.number(), TaskState.TAKEN, actor, change)
                : Optional.empty();
    }

    void remove(ModelTube tube, int number, int actor) {
        change(tube, number, null, actor);
    }

    int nextPosition() {
        return ++numbers;
    }

    int numbers() {
        return numbers;
    }

    /** The versions that an actor has then. */
    List<Version> claim(ModelTube tube, int actor, List<Integer> claimed) {
        tokens++;
        List<Version> tasks = new ArrayList<>();
        for (int number : claimed) {
            Version task =
                    change(tube, number, TaskState.READY, actor, this::take).orElseThrow();
            task.session = actor;
            tasks.add(task);
            takings.add(new Taking(tube, number, actor, tokens, new OrderKey(task.pri, task.ord, number)));
        }
        return tasks;
    }

    private void take(Version task) {
        task.state = TaskState.TAKEN;
        task.token = tokens;
        task.takenAt = now;
        task.event = task.ttr == null ? null : Long.valueOf(now + task.ttr);
        task.attempts++;
        task.taken++;
        task.waits = false;
    }

    boolean isLocked(int number, int actor) {
        return tubes.stream().anyMatch(tube -> tube.isLocked(number, actor));
    }
}
