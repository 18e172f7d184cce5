package org.tasktube.tube;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.tasktube.OnConflict;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskExistsException;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.Transition;

import static java.nio.charset.StandardCharsets.UTF_8;

/** One attempt to put. The result is empty if the tube has too little free capacity. */
final class PutCalls {

    private final TubeEngine tube;
    private final ClientConnection client;

    PutCalls(TubeEngine tube, ClientConnection client) {
        this.tube = tube;
        this.client = client;
    }

    Optional<Task> put(TaskData data, PutOptions options) {
        client.checkOpen();
        NewTask task = tube.plan(data, options, Optional.empty());
        Put put = tube.put(List.of(task), List.of(options));
        return put.outcome() == Put.Outcome.FULL ? Optional.empty() : Optional.of(tube.toTask(put.id(), task));
    }

    Optional<List<Task>> putAll(List<PutItem> items) {
        client.checkOpen();
        List<NewTask> tasks =
                IntStream.range(0, items.size()).mapToObj(i -> plan(items, i)).toList();
        Put put = tube.put(tasks, items.stream().map(PutItem::options).toList());
        if (put.outcome() == Put.Outcome.FULL) {
            return Optional.empty();
        }
        return Optional.of(IntStream.range(0, tasks.size())
                .mapToObj(i -> tube.toTask(put.ids().get(i), tasks.get(i)))
                .toList());
    }

    private NewTask plan(List<PutItem> items, int index) {
        PutItem item = items.get(index);
        try {
            return tube.plan(TaskData.of(item.data()), item.options(), Optional.empty());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "task " + (index + 1) + " of " + items.size() + ": " + e.getMessage(), e);
        }
    }

    Optional<Task> putUnique(String key, TaskData data, PutOptions options, OnConflict onConflict) {
        client.checkOpen();
        NewTask task = tube.plan(data, options, Optional.of(key));
        while (true) {
            Put put = tube.put(List.of(task), List.of(options));
            switch (put.outcome()) {
                case FULL -> {
                    return Optional.empty();
                }
                case EXISTS -> {
                    checkOrder(put.id(), key, options, onConflict);
                    Optional<Task> there = conflict(put.id(), key, task, onConflict);
                    if (there.isPresent()) {
                        return there;
                    }
                }
                default -> {
                    return Optional.of(tube.toTask(put.id(), task));
                }
            }
        }
    }

    /** A task that exists may have been taken by now, so it can come to wait for no other. */
    private void checkOrder(long id, String key, PutOptions options, OnConflict onConflict) {
        if (onConflict == OnConflict.REPLACE && !options.order().isNone()) {
            throw new IllegalArgumentException("tube '" + tube.name() + "' has task " + id + " of the key '" + key
                    + "', and what it is after or before stays; leave after and before out, or delete that task first");
        }
    }

    /**
     * Applies the conflict rule. Returns the existing task; empty if it has gone or lost its key before it was replaced.
     * A task that was replaced counts as put, also if a consumer has ended it since.
     */
    private Optional<Task> conflict(long id, String key, NewTask task, OnConflict onConflict) {
        return switch (onConflict) {
            case FAIL -> throw new TaskExistsException(tube.name(), key, id);
            case KEEP -> tube.find(id).or(() -> ended(id, key, task));
            case REPLACE -> {
                boolean replaced = tube.replace(id, task);
                Predicate<Task> stays = there -> !Transition.REPLACE.from().contains(there.state());
                yield replaced
                        ? tube.find(id).or(() -> Optional.of(tube.toTask(id, task)))
                        : tube.find(id).filter(stays).or(() -> ended(id, key, task));
            }
        };
    }

    /** Returns the task of a key that is still taken for its time; empty if the key is free now. */
    private Optional<Task> ended(long id, String key, NewTask task) {
        Task put = tube.toTask(id, task);
        return tube.isTaken(key) && tube.find(key).isEmpty()
                ? Optional.of(new Task(
                        id, put.tube(), TaskState.DONE, put.pri(), 0, 0, put.utube(), put.headers(), put.data()))
                : Optional.empty();
    }

    // Checks

    static List<PutItem> items(List<?> data, PutOptions options) {
        return data.stream().map(each -> PutItem.of(each, options)).toList();
    }

    /** Maps the data once, before the attempts. */
    static List<PutItem> checked(List<PutItem> items) {
        if (items.isEmpty()) {
            throw new IllegalArgumentException("the list of tasks to put is empty; put at least one");
        }
        return items.stream()
                .map(item -> PutItem.of(TaskData.of(item.data()), item.options()))
                .toList();
    }

    static void checkKey(String key) {
        if (key.isEmpty() || key.length() > Tube.MAX_KEY || key.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a unique key has " + key.length() + " characters or a NUL; set 1 to "
                    + Tube.MAX_KEY + " characters without NUL");
        }
        if (!UTF_8.newEncoder().canEncode(key)) {
            throw new IllegalArgumentException("a unique key has half of a surrogate pair in its " + key.length()
                    + " characters, which UTF-8 cannot write, so that two keys would be the same; leave it out");
        }
    }

    /** Fails if there are more tasks than the tube's capacity. */
    void checkFits(int tasks) {
        tube.definition().capacity().ifPresent(capacity -> {
            if (tasks > capacity) {
                throw new IllegalArgumentException(tasks + " tasks are more than tube '" + tube.name()
                        + "' with a capacity of " + capacity + " can ever hold; put them in parts");
            }
        });
    }
}
