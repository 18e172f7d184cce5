package org.tasktube.queue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.tasktube.Task;

/**
 * Who holds what was taken: one connection, or several that identified as the same. What it holds follows transactions: a
 * take counts from its commit on.
 */
final class Session {

    private final UUID id;
    private final Map<Long, TubeQueue> held = new ConcurrentHashMap<>();

    /** Takings that a bean let go itself, so that nobody acks them for it. */
    private final Set<Taking> letGo = ConcurrentHashMap.newKeySet();

    /** One task of those that were taken together, which share a token. */
    private record Taking(long task, long token) {}

    /** Whether tasks are handed to a bean for it, which may let them go itself. */
    private volatile boolean fed;

    private int connections = 1;
    private boolean published;
    private boolean ended;
    private long endsAt;

    Session() {
        this(newId(), false);
    }

    Session(UUID id, boolean published) {
        this.id = id;
        this.published = published;
    }

    /** A random UUID of version 4. Nobody has to guard against a guessed one, so a quick generator will do. */
    private static UUID newId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = (random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000L;
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    UUID id() {
        return id;
    }

    // What it holds

    void holds(TubeQueue tube, long task) {
        held.put(task, tube);
    }

    void holdsNoMore(long task) {
        held.remove(task);
    }

    Map<Long, TubeQueue> held() {
        return held;
    }

    void feed() {
        fed = true;
    }

    /** So that a delivery whose bean did this itself does not ack. */
    void letGo(Task task) {
        if (fed) {
            letGo.add(new Taking(task.id(), task.token()));
        }
    }

    /** Whether that taking was let go; asked once. */
    boolean hasLetGo(Task task) {
        return letGo.remove(new Taking(task.id(), task.token()));
    }

    // Its connections on this server

    /** One connection more; false if it has ended. */
    synchronized boolean join() {
        if (ended) {
            return false;
        }
        connections++;
        return true;
    }

    /** One connection less; true if it was the last. */
    synchronized boolean leave() {
        connections--;
        return connections == 0;
    }

    /** Without a connection it may be taken up again until then, by the monotonic clock. */
    synchronized void endAt(long nanoTime) {
        endsAt = nanoTime;
    }

    /** Ends it if it has no connection and its time is over; true if that is so now. */
    synchronized boolean end(long nanoTime) {
        if (!ended && connections == 0 && nanoTime - endsAt >= 0) {
            ended = true;
        }
        return ended;
    }

    /** How long until it ends; empty while it has a connection, and once it has ended. */
    synchronized Optional<Duration> untilEnd(long nanoTime) {
        return ended || connections > 0
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(0, endsAt - nanoTime)));
    }

    synchronized boolean isPublished() {
        return published;
    }

    synchronized void publish() {
        published = true;
    }
}
