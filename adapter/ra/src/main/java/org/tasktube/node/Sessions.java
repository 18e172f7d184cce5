package org.tasktube.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.SessionExpiredException;
import org.tasktube.SessionOwnerException;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.session.Session;
import org.tasktube.store.Released;
import org.tasktube.store.SessionTerms;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.store.Transition;
import org.tasktube.tube.Deadlines;
import org.tasktube.tube.TubeContext;

/**
 * The sessions that have taken a task on this server, or that other servers may know. Other sessions are known to their
 * connection only.
 */
public final class Sessions implements TubeContext.Holders {

    private static final Duration AGAIN = Duration.ofMillis(500);

    private final Duration sessionTtr;
    private final MaintenanceQueue queue;
    private final MaintenanceCalls calls;
    private final Transactions transactions;
    private final Deadlines deadlines;
    private final TubeDirectory directory;
    private final MaintenanceEffects effects;
    private final ClaimLedger claims;
    private final SessionRegistrations registrations;
    private final Map<UUID, Session> known = new ConcurrentHashMap<>();

    /** The sessions that the registry has lost. Each is registered again by one piece of maintenance at a time. */
    private final Set<Session> lost = ConcurrentHashMap.newKeySet();

    Sessions(
            Duration sessionTtr,
            StoreAccess access,
            MaintenanceQueue queue,
            MaintenanceCalls calls,
            Transactions transactions,
            Deadlines deadlines,
            TubeDirectory directory,
            MaintenanceEffects effects,
            ClaimLedger claims) {
        this.sessionTtr = sessionTtr;
        this.queue = queue;
        this.calls = calls;
        this.transactions = transactions;
        this.deadlines = deadlines;
        this.directory = directory;
        this.effects = effects;
        this.claims = claims;
        this.registrations = new SessionRegistrations(sessionTtr, access, calls);
    }

    public Collection<Session> known() {
        return known.values();
    }

    Optional<Session> find(UUID id) {
        return Optional.ofNullable(known.get(id));
    }

    /** The sessions that have connections here, and that the registry must have on this server. */
    List<Session> registered() {
        return known.values().stream()
                .filter(Session::isConnected)
                .filter(Session::isRegistered)
                .toList();
    }

    /**
     * Registers a session that the registry has lost, unless that is tried again and again already. A piece of work of
     * its own, under the number that this server has by then.
     */
    void registerAgain(Session session) {
        if (lost.add(session)) {
            queue.execute(() -> registerLost(session));
        }
    }

    private void registerLost(Session session) {
        if (!lost.contains(session)) {
            return;
        }
        if (session.isConnected()) {
            orAgain(
                    () -> {
                        registrations.again(session);
                        lost.remove(session);
                    },
                    () -> registerLost(session));
        }
        if (!session.isConnected()) {
            lost.remove(session);
            endPublished(session);
        }
    }

    @Override
    public void know(Session session) {
        known.putIfAbsent(session.id(), session);
        if (session.hasEnded()) {
            // Another thread has closed the connection; that end no longer removes it
            known.remove(session.id(), session);
        }
    }

    /** Registers a session for other servers. */
    UUID publish(ClientConnection client) {
        client.checkOpen();
        Session session = client.session();
        if (!session.isPublished()) {
            publish(session, SessionTerms.NONE);
        }
        return session.id();
    }

    private void publish(Session session, SessionTerms wanted) {
        know(session);
        boolean wasPublished = session.isPublished();
        try {
            registrations.publish(session, wanted);
        } catch (RuntimeException | Error e) {
            if (!wasPublished && session.isPublished()) {
                // Under a former number of this server perhaps
                queue.execute(() -> registerAgain(session));
            }
            throw e;
        } finally {
            if (!session.isConnected()) {
                // Another thread has closed the connection, and the row may be later than that, also if its answer is
                // lost
                queue.execute(() -> endLate(session));
            }
        }
    }

    private void endLate(Session session) {
        if (session.isPublished()) {
            endPublished(session);
        } else if (session.hasEnded()) {
            withdraw(session);
        }
    }

    /** Registers a session, and sets how long it stays without a connection. */
    UUID publish(ClientConnection client, Duration keep) {
        return publish(client, SessionTerms.NONE.keptFor(SessionArguments.checkedKeep(keep)));
    }

    /** Registers a session with an owner. */
    UUID publish(ClientConnection client, Duration keep, String owner) {
        return publish(
                client,
                SessionTerms.NONE
                        .keptFor(SessionArguments.checkedKeep(keep))
                        .ownedBy(SessionArguments.checkedOwner(owner)));
    }

    /** Asks the registry each time: another server may have set other terms, or another owner. */
    private UUID publish(ClientConnection client, SessionTerms wanted) {
        client.checkOpen();
        Session session = client.session();
        publish(session, wanted);
        return session.id();
    }

    /** Makes a connection join a session. */
    void join(ClientConnection client, String text) {
        join(client, SessionArguments.parsed(text));
    }

    /** Makes a connection join a session of that owner. Returns how long the session stays without a connection. */
    Duration join(ClientConnection client, UUID id, String owner) {
        client.checkOpen();
        SessionTerms terms = terms(id).orElseThrow(() -> new SessionExpiredException(id));
        if (!terms.owner().equals(Optional.of(SessionArguments.checkedOwner(owner)))) {
            throw new SessionOwnerException(id, owner);
        }
        join(client, id);
        return client.session().terms().kept().orElse(sessionTtr);
    }

    /**
     * Returns the terms of a session; empty if there is none. Its owner never changes. This server may know a session
     * before it knows the terms.
     */
    private Optional<SessionTerms> terms(UUID id) {
        Optional<SessionTerms> here = find(id).filter(session ->
                        !session.isPublished() || session.terms().owner().isPresent())
                .map(Session::terms);
        return here.isPresent() ? here : registrations.terms(id);
    }

    private void join(ClientConnection client, UUID id) {
        client.checkOpen();
        if (!client.id().equals(id)) {
            leave(client.become(findOrJoin(id)));
            client.checkOpen();
        }
    }

    private Session findOrJoin(UUID id) {
        find(id).filter(Session::isClosing).ifPresent(closing -> calls.awaitIdle());
        Session fresh = new Session(id, true);
        Session session = known.compute(id, (key, old) -> old != null && old.join() ? old : fresh);
        Optional<SessionTerms> there;
        try {
            there = registrations.join(session);
        } catch (RuntimeException | Error e) {
            // The join may have committed, and another connection that was closed by now was not the last
            if (leavesAsLast(session)) {
                endSoon(session);
            }
            throw e;
        }
        if (there.isEmpty()) {
            if (session.leave()) {
                session.endAt(System.nanoTime());
            }
            known.remove(id, fresh);
            throw new SessionExpiredException(id);
        }
        return session;
    }

    /** Leaves a session. The last connection's leave releases the session's tasks; in a transaction, after its end. */
    void leave(Session session) {
        if (!leavesAsLast(session)) {
            return;
        }
        if (transactions.active()) {
            transactions.atEnd(() -> endAfterTransaction(session));
        } else {
            end(session);
        }
    }

    /**
     * Removes a connection. Returns true if it was the last. The thread that ends the session sets the time of its end.
     */
    private static boolean leavesAsLast(Session session) {
        session.endAt(System.nanoTime() + Deadlines.capped(TubeDefinition.MAX_DURATION));
        return session.leave();
    }

    private void endSoon(Session session) {
        session.closes(true);
        queue.execute(() -> end(session));
    }

    /**
     * Ends a session when a transaction has ended. The thread that ends a transaction must not use its datasource then,
     * so the maintenance thread ends a session that needs it. A producer's session does not.
     */
    private void endAfterTransaction(Session session) {
        if (session.isPublished() || !session.held().isEmpty()) {
            endSoon(session);
        } else if (ends(session) && !session.held().isEmpty()) {
            // The take of another thread committed just now
            queue.execute(() -> release(session));
        }
    }

    private void end(Session session) {
        try {
            endNow(session);
        } finally {
            session.closes(false);
        }
    }

    private void endNow(Session session) {
        if (session.isPublished()) {
            endPublished(session);
            return;
        }
        if (ends(session)) {
            release(session);
        }
    }

    /** Ends a session that other servers do not know, unless a connection has joined it. */
    private boolean ends(Session session) {
        session.endAt(System.nanoTime());
        boolean ended = session.end(System.nanoTime());
        if (ended) {
            known.remove(session.id(), session);
            if (session.isPublished()) {
                // Published since this end began
                queue.execute(() -> endPublished(session));
            } else if (session.mayHaveRow()) {
                queue.execute(() -> withdraw(session));
            }
        }
        return ended;
    }

    private void withdraw(Session session) {
        orAgain(() -> registrations.withdraw(session), () -> withdraw(session));
    }

    private void endPublished(Session session) {
        if (!session.registration().tryLock()) {
            // A connection is joining, and the maintenance thread must not wait for its statement
            queue.executeIn(AGAIN, () -> endPublished(session));
            return;
        }
        try {
            if (session.isConnected()) {
                return;
            }
            // Repeated from here on, because a connection may have joined by then
            orAgain(() -> leaveRegistry(session), () -> endPublished(session));
        } finally {
            session.registration().unlock();
        }
        session.untilEnd(System.nanoTime()).ifPresent(this::expireIn);
    }

    private void expireIn(Duration left) {
        if (left.isZero()) {
            // A caller's close does not fail by it
            orAgain(this::expire, this::expire);
        } else {
            deadlines.due(left);
        }
    }

    private void leaveRegistry(Session session) {
        List<Released> released = registrations.leave(session);
        session.isLeft();
        effects.released(Transition.SESSION_END, released);
        released.forEach(tasks -> session.held().keySet().removeAll(tasks.ids()));
    }

    /**
     * Ends the sessions that no connection has joined in time. Returns the time until the next one ends. The registry
     * releases their tasks in the database. It removes a session before another consumer can get its tasks.
     */
    Duration expire() {
        long now = System.nanoTime();
        List<Session> over = new ArrayList<>();
        // Its last connection ends a session that other servers do not know, and releases its tasks
        known.values().stream()
                .filter(session -> session.isPublished() && session.end(now))
                .forEach(over::add);
        if (!over.isEmpty()) {
            effects.expireSessions();
        }
        over.forEach(session -> {
            known.remove(session.id(), session);
            if (!session.held().isEmpty()) {
                session.held().clear();
                // The registry may have skipped locked tasks
                claims.suspect();
            }
        });
        return known.values().stream()
                .filter(Session::isPublished)
                .flatMap(session -> session.untilEnd(now).stream())
                .min(Comparator.naturalOrder())
                .orElse(Deadlines.LONGEST_SLEEP);
    }

    /** Releases a task whose take committed after another thread had closed the connection. */
    @Override
    public void tookLate(Session session) {
        queue.execute(() -> release(session));
    }

    /**
     * Releases the tasks of a session. If the store fails, the release is repeated when the store is back, because only
     * this server knows the tasks.
     */
    private void release(Session session) {
        Map<StoredTube, List<Long>> byTube = new HashMap<>();
        session.held().forEach((id, held) -> byTube.computeIfAbsent(held.tube(), tube -> new ArrayList<>())
                .add(id));
        releaseOrAgain(session, byTube);
    }

    private void releaseOrAgain(Session session, Map<StoredTube, List<Long>> byTube) {
        orAgain(
                () -> byTube.forEach((tube, ids) -> {
                    // A dropped tube has no tasks to release
                    directory.byId(tube.id()).ifPresent(there -> there.releaseSession(session, ids));
                    session.held().keySet().removeAll(ids);
                }),
                () -> releaseOrAgain(session, byTube));
    }

    /** Does work. If it fails, also by an Error of a driver, it is repeated: nothing else ends the session. */
    private void orAgain(Runnable work, Runnable repeat) {
        try {
            work.run();
        } catch (TaskTubeException e) {
            queue.executeIn(AGAIN, repeat);
        } catch (RuntimeException | Error e) {
            queue.executeIn(AGAIN, repeat);
            throw e;
        }
    }
}
