package org.tasktube.node;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.tasktube.StoreException;
import org.tasktube.session.Session;
import org.tasktube.store.LeftSession;
import org.tasktube.store.Released;
import org.tasktube.store.SessionTerms;
import org.tasktube.store.StackRoom;
import org.tasktube.store.sql.Registry;

/** Writes to the registry which sessions have connections on this server, and reads the terms of sessions. */
final class SessionRegistrations {

    /** The most seconds to wait for another connection of a session, whose statement may hang. */
    private static final int PATIENCE = 5;

    private final Duration sessionTtr;
    private final StoreAccess access;
    private final MaintenanceCalls calls;

    SessionRegistrations(Duration sessionTtr, StoreAccess access, MaintenanceCalls calls) {
        this.sessionTtr = sessionTtr;
        this.access = access;
        this.calls = calls;
    }

    /**
     * Registers a session again under this server's new number. The registry lost it with the former number. If other
     * servers have it, their terms are newer.
     */
    void again(Registry registry, int node, Session session) {
        session.terms(registry.join(session.id(), node)
                .orElseGet(() -> registry.publish(session.id(), node, session.terms())));
    }

    /** Registers a session again under this server's present number. */
    void again(Session session) {
        again(access.registry(), access.number(), session);
    }

    /** Registers a session, or changes its terms, outside the caller's transaction. */
    void publish(Session session, SessionTerms wanted) {
        session.registers();
        session.terms(calls.outsideTransaction(() -> {
            int number = access.number();
            SessionTerms terms = access.registry().publish(session.id(), number, wanted);
            session.publish();
            follow(session, number);
            return terms;
        }));
    }

    /** If this server got another number meanwhile, its sessions may have been registered again without this one. */
    private void follow(Session session, int former) {
        int number = access.number();
        if (number != former) {
            again(access.registry(), number, session);
            access.registry().withdraw(session.id(), former);
        }
    }

    /** Returns the terms of a session; empty if it is not registered, or has expired. */
    Optional<SessionTerms> terms(UUID id) {
        return calls.outsideTransaction(() -> access.registry().terms(id));
    }

    /**
     * Registers that this server has a connection of a session, if others know that. Returns its terms; empty if it has
     * expired. A last connection that leaves at the same time either finds this one, or has already left in the
     * registry.
     */
    Optional<SessionTerms> join(Session session) {
        StackRoom.check();
        lock(session);
        try {
            Optional<SessionTerms> there = session.isPublished()
                    ? calls.outsideTransaction(() -> {
                        int number = access.number();
                        Optional<SessionTerms> terms = access.registry().join(session.id(), number);
                        if (terms.isPresent()) {
                            session.registers();
                            follow(session, number);
                        }
                        return terms;
                    })
                    : Optional.of(session.terms());
            there.ifPresent(session::terms);
            return there;
        } finally {
            session.registration().unlock();
        }
    }

    private static void lock(Session session) {
        String why = "takes more than " + PATIENCE + " s";
        try {
            if (session.registration().tryLock(PATIENCE, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            why = "goes on, and the thread that waited for it was interrupted";
        }
        throw new StoreException("session " + session.id() + " was not joined: the join or leave of another connection"
                + " of it on this server " + why + "; identify again in some seconds");
    }

    /** Removes the row of a session that has ended, and whose registration has failed. Its answer may be lost. */
    void withdraw(Session session) {
        access.registry().withdraw(session.id(), access.number());
    }

    /** Registers that this server has no connection of a session. Returns the tasks that this has released. */
    List<Released> leave(Session session) {
        LeftSession left = access.registry()
                .leave(session.id(), access.number(), session.terms().kept(), sessionTtr);
        // Not earlier than in the registry, where the time begins with the leave
        session.endAt(System.nanoTime() + left.kept().toNanos());
        return left.released();
    }
}
