package org.tasktube.tube;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The beans of this server that receive tasks of one tube. They take turns. */
public final class TaskReceivers {

    private final List<TaskReceiver> all = new CopyOnWriteArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    /** Adds a bean. Returns what removes it. */
    public Runnable add(TaskReceiver receiver) {
        all.add(receiver);
        return () -> all.remove(receiver);
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns all of them, each time another one first. */
    public List<TaskReceiver> inTurn() {
        List<TaskReceiver> now = List.copyOf(all);
        if (now.size() < 2) {
            return now;
        }
        int first = Math.floorMod(turn.getAndIncrement(), now.size());
        return Stream.concat(now.stream().skip(first), now.stream().limit(first))
                .toList();
    }
}
