package org.tasktube.session;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.tasktube.Task;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;

/**
 * The holder of taken tasks: one connection, or several that identified as the same session. What it holds follows
 * transactions: a take counts from its commit on.
 */
public final class Session {

    private final UUID id;
    private final Map<Long, Held> held = new ConcurrentHashMap<>();

    /** Where a task is that it holds, and by which taking. */
    public record Held(StoredTube tube, long token) {}

    /** Takings that a bean let go itself, by what has committed, so that nobody acks them for it. */
    private final Set<Taking> letGo = ConcurrentHashMap.newKeySet();

    /** Takings that a bean let go in a transaction that has not ended. */
    private final Set<LettingGo> lettingGo = ConcurrentHashMap.newKeySet();

    /** One task of those that were taken together, which share a token. */
    private record Taking(long task, long token) {

        static Taking of(Task task) {
            return new Taking(task.id(), task.token());
        }
    }

    private record LettingGo(Taking taking, Transactions transactions, Object transaction) {

        boolean isInThisTransaction() {
            return transactions.active() && transaction.equals(transactions.key());
        }
    }

    /** Whether tasks are handed to a bean for it, which may let them go itself. */
    private volatile boolean fed;

    private volatile boolean closing;
    private final ReentrantLock registration = new ReentrantLock();
    private int connections = 1;
    private boolean published;
    private boolean ended;
    private long endsAt;

    public Session() {
        this(newId(), false);
    }

    public Session(UUID id, boolean published) {
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

    public UUID id() {
        return id;
    }

    // What it holds

    public void holds(StoredTube tube, Task task) {
        held.put(task.id(), new Held(tube, task.token()));
    }

    public boolean holds(long task, long token) {
        Held now = held.get(task);
        return now != null && now.token == token;
    }

    /** That taking of it is over; it may hold the task by a later one. */
    public void holdsNoMore(Task task) {
        holdsNoMore(task.id(), task.token());
    }

    public void holdsNoMore(long task, long token) {
        held.computeIfPresent(task, (id, now) -> now.token == token ? null : now);
    }

    public Map<Long, Held> held() {
        return held;
    }

    public void feed() {
        fed = true;
    }

    /**
     * So that a delivery whose bean did this itself does not ack. Holds from the commit of the transaction on, and before that
     * in the transaction itself; a rollback undoes it, as it undoes the move.
     */
    public void letGo(Task task, Transactions transactions) {
        if (!fed) {
            return;
        }
        Taking taking = Taking.of(task);
        if (!transactions.active()) {
            letGo.add(taking);
            return;
        }
        LettingGo here = new LettingGo(taking, transactions, transactions.key());
        lettingGo.add(here);
        transactions.afterCommit(() -> {
            if (lettingGo.remove(here)) {
                letGo.add(taking);
            }
        });
        transactions.atEnd(() -> lettingGo.remove(here));
    }

    /** Returns whether that taking was let go, or is in the transaction on this thread; asked once, at the delivery's end. */
    public boolean hasLetGo(Task task) {
        Taking taking = Taking.of(task);
        List<LettingGo> open =
                lettingGo.stream().filter(each -> each.taking.equals(taking)).toList();
        // What another transaction does is not waited for, nor remembered: nobody asks again
        open.forEach(lettingGo::remove);
        boolean here = open.stream().anyMatch(LettingGo::isInThisTransaction);
        return letGo.remove(taking) || here;
    }

    // Its connections on this server

    /** Its last connection was closed in a transaction that has ended, and the maintenance thread is about to end it. */
    public void closes(boolean now) {
        closing = now;
    }

    public boolean isClosing() {
        return closing;
    }

    /** Held by whoever writes to the registry that it has connections here, or none any more. */
    public ReentrantLock registration() {
        return registration;
    }

    /** One connection more; false if it has ended. */
    public synchronized boolean join() {
        if (ended) {
            return false;
        }
        connections++;
        return true;
    }

    /** One connection less; true if it was the last. */
    public synchronized boolean leave() {
        connections--;
        return connections == 0;
    }

    /** Without a connection it may be taken up again until then, by the monotonic clock. */
    public synchronized void endAt(long nanoTime) {
        endsAt = nanoTime;
    }

    /** Ends it if it has no connection and its time is over; true if that is so now. */
    public synchronized boolean end(long nanoTime) {
        if (!ended && connections == 0 && nanoTime - endsAt >= 0) {
            ended = true;
        }
        return ended;
    }

    /** How long until it ends; empty while it has a connection, and once it has ended. */
    public synchronized Optional<Duration> untilEnd(long nanoTime) {
        return ended || connections > 0
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(0, endsAt - nanoTime)));
    }

    public synchronized boolean hasEnded() {
        return ended;
    }

    public synchronized boolean isConnected() {
        return connections > 0;
    }

    public synchronized boolean isPublished() {
        return published;
    }

    public synchronized void publish() {
        published = true;
    }
}
