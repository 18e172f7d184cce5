package org.tasktube.queue;

import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.tasktube.Task;

/** Who holds what it took, until it is closed. What it holds follows transactions: a take counts from its commit on. */
public final class Session {

    private final UUID id = newId();
    private final Map<Long, TubeQueue> held = new ConcurrentHashMap<>();
    private final Set<WaitLine.Waiter> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** A random UUID of version 4. Nobody has to guard against a guessed one, so a quick generator will do. */
    private static UUID newId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = (random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000L;
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    public UUID id() {
        return id;
    }

    boolean isClosed() {
        return closed;
    }

    void holds(TubeQueue tube, Task task) {
        held.put(task.id(), tube);
    }

    void holdsNoMore(long id) {
        held.remove(id);
    }

    Map<Long, TubeQueue> held() {
        return held;
    }

    void waits(WaitLine.Waiter waiter) {
        waiting.add(waiter);
    }

    void waitsNoMore(WaitLine.Waiter waiter) {
        waiting.remove(waiter);
    }

    /** False if it was closed already. */
    synchronized boolean close() {
        if (closed) {
            return false;
        }
        closed = true;
        waiting.forEach(WaitLine.Waiter::wake);
        return true;
    }

    public void checkOpen() {
        if (closed) {
            throw new IllegalStateException("this connection is closed; get another one where it is needed");
        }
    }
}
