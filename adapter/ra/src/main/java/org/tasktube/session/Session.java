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
import org.tasktube.store.SessionTerms;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;

/**
 * A holder of TAKEN tasks: one connection, or several that identified as the same session. Its tasks follow
 * transactions: a take counts from its commit on.
 */
public final class Session {

    private final UUID id;
    private final Map<Long, Held> held = new ConcurrentHashMap<>();

    /**
     * The take of a held task.
     *
     * @param since the time of the take, in the monotonic clock
     */
    public record Held(StoredTube tube, long token, long since) {}

    /** The takes that the bean itself has ended, in a committed transaction. The adapter must not ack these. */
    private final Set<Taking> finished = ConcurrentHashMap.newKeySet();

    /** The takes that the bean itself has ended in a transaction that is still open. */
    private final Set<Finishing> finishing = ConcurrentHashMap.newKeySet();

    /** One take of one task. Tasks that were taken together share a token. */
    private record Taking(long task, long token) {

        static Taking of(Task task) {
            return new Taking(task.id(), task.token());
        }
    }

    private record Finishing(Taking taking, Transactions transactions, Object transaction) {

        boolean isInThisTransaction() {
            return transactions.active() && transaction.equals(transactions.key());
        }
    }

    /** True if the adapter takes tasks for a bean by this session. The bean may then end a task itself. */
    private volatile boolean fed;

    /** The name of that bean; empty if it is not known. */
    private volatile Optional<String> bean = Optional.empty();

    private volatile boolean closing;
    private final ReentrantLock registration = new ReentrantLock();
    private int connections = 1;
    private boolean published;
    private boolean mayHaveRow;
    private boolean ended;
    private SessionTerms terms = SessionTerms.NONE;
    private long endsAt;

    public Session() {
        this(newId(), false);
    }

    public Session(UUID id, boolean published) {
        this.id = id;
        this.published = published;
    }

    /** Returns a random UUID of version 4. A guessed id does no harm, so a quick generator is enough. */
    private static UUID newId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = (random.nextLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000L;
        long low = (random.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    public UUID id() {
        return id;
    }

    // Held tasks

    /** Adds a task that was taken at this time of the monotonic clock. */
    public void holds(StoredTube tube, Task task, long nanoTime) {
        held.put(task.id(), new Held(tube, task.token(), nanoTime));
    }

    public boolean holds(long task, long token) {
        Held now = held.get(task);
        return now != null && now.token == token;
    }

    /**
     * Forgets one take of a task. The session may hold the task by a later take. Returns the take, or null if it was
     * not known.
     */
    public Held removeHeld(Task task) {
        return removeHeld(task.id(), task.token());
    }

    public Held removeHeld(long task, long token) {
        Held now = held.get(task);
        return now != null && now.token == token && held.remove(task, now) ? now : null;
    }

    public Map<Long, Held> held() {
        return held;
    }

    public void markFed(Optional<String> name) {
        fed = true;
        bean = name;
    }

    /** Returns the name of the bean for which the adapter takes tasks by this session; empty without one. */
    public Optional<String> bean() {
        return bean;
    }

    /**
     * Remembers that the bean itself has ended this take, so that the delivery does not ack it. This counts from the
     * commit of the transaction on, and before that inside the transaction. A rollback undoes it.
     */
    public void recordFinished(Task task, Transactions transactions) {
        if (!fed) {
            return;
        }
        Taking taking = Taking.of(task);
        if (!transactions.active()) {
            finished.add(taking);
            return;
        }
        Finishing here = new Finishing(taking, transactions, transactions.key());
        finishing.add(here);
        transactions.afterCommit(() -> {
            if (finishing.remove(here)) {
                finished.add(taking);
            }
        });
        transactions.atEnd(() -> finishing.remove(here));
    }

    /**
     * Returns whether the bean has ended this take, in the past or in the transaction on this thread. Ask once, at the
     * delivery's end.
     */
    public boolean wasFinished(Task task) {
        if (finishing.isEmpty() && finished.isEmpty()) {
            return false;
        }
        Taking taking = Taking.of(task);
        List<Finishing> open =
                finishing.stream().filter(each -> each.taking.equals(taking)).toList();
        // An open transaction of another thread does not count, and the question comes only once
        open.forEach(finishing::remove);
        boolean here = open.stream().anyMatch(Finishing::isInThisTransaction);
        return finished.remove(taking) || here;
    }

    // Connections on this server

    /**
     * Sets whether the session is closing: its last connection was closed in a transaction that has ended, and the
     * maintenance thread is about to end it.
     */
    public void closes(boolean now) {
        closing = now;
    }

    public boolean isClosing() {
        return closing;
    }

    /** Returns the lock for writing to the registry that this session has, or no longer has, connections here. */
    public ReentrantLock registration() {
        return registration;
    }

    /** Adds a connection. Returns false if the session has ended. */
    public synchronized boolean join() {
        if (ended) {
            return false;
        }
        connections++;
        return true;
    }

    /** Removes a connection. Returns true if it was the last. */
    public synchronized boolean leave() {
        connections--;
        return connections == 0;
    }

    /** Sets what other servers know of the session, or are about to know. */
    public synchronized void terms(SessionTerms known) {
        terms = known;
    }

    public synchronized SessionTerms terms() {
        return terms;
    }

    /** Sets the end of a session without connections, in the monotonic clock. Until then a connection may join it. */
    public synchronized void endAt(long nanoTime) {
        endsAt = nanoTime;
    }

    /** Ends the session if it has no connection and its time has come. Returns true if it has ended, now or before. */
    public synchronized boolean end(long nanoTime) {
        if (!ended && connections == 0 && nanoTime - endsAt >= 0) {
            ended = true;
        }
        return ended;
    }

    /** Returns the time until the session ends; empty while it has a connection, and after its end. */
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

    /**
     * Called before the session is registered, and after a join. The answer may be lost, and then the session is not
     * published.
     */
    public synchronized void registers() {
        mayHaveRow = true;
    }

    /** Called when the registry has no connection of this server any more. */
    public synchronized void isLeft() {
        mayHaveRow = false;
    }

    /** Returns whether the registry has the session on this server: not before the first connection has joined it. */
    public synchronized boolean isRegistered() {
        return published && mayHaveRow;
    }

    /** Returns whether the registry may have a row of the session: also after a registration that has failed. */
    public synchronized boolean mayHaveRow() {
        return mayHaveRow;
    }
}
