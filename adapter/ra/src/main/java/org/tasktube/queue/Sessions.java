package org.tasktube.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.SessionExpiredException;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.store.Released;

/**
 * The sessions that have taken something on this server, or that other servers may know. One that has done neither is
 * nobody's business but its connection's.
 */
final class Sessions {

    private final Queue queue;
    private final Map<UUID, Session> known = new ConcurrentHashMap<>();

    Sessions(Queue queue) {
        this.queue = queue;
    }

    void know(Session session) {
        known.putIfAbsent(session.id(), session);
    }

    /** Makes a session known to other servers. */
    UUID publish(Client client) {
        client.checkOpen();
        Session session = client.session();
        if (!session.isPublished()) {
            know(session);
            queue.outsideTransaction(() -> {
                queue.registry().publish(session.id(), queue.node());
                return null;
            });
            session.publish();
        }
        return session.id();
    }

    /** Has a connection go over to a session. */
    void join(Client client, String text) {
        client.checkOpen();
        UUID id = parsed(text);
        Session before = client.session();
        if (!before.id().equals(id)) {
            client.become(find(id));
            leave(before);
        }
    }

    private static UUID parsed(String text) {
        try {
            UUID id = UUID.fromString(text);
            if (id.toString().equalsIgnoreCase(text)) {
                return id;
            }
        } catch (IllegalArgumentException e) {
            throw notAnId(text, e);
        }
        throw notAnId(text, null);
    }

    private static IllegalArgumentException notAnId(String text, Exception cause) {
        return new IllegalArgumentException(
                "'" + text + "' is not the id of a session: it takes a UUID, as identify() gives it", cause);
    }

    private Session find(UUID id) {
        Session here = known.get(id);
        if (here != null && !here.isPublished() && here.join()) {
            return here;
        }
        boolean there = queue.outsideTransaction(() -> queue.registry().join(id, queue.node()));
        if (!there) {
            throw new SessionExpiredException(id);
        }
        Session joined = known.compute(id, (key, old) -> old != null && old.join() ? old : new Session(id, true));
        joined.publish();
        return joined;
    }

    /** A connection leaves its session: what that holds is released with the last, in a transaction when it has ended. */
    void leave(Session session) {
        // Its end is set when the transaction has ended; no sweep is to end it before
        session.endAt(System.nanoTime() + Deadlines.capped(TubeDefinition.MAX_DURATION));
        if (!session.leave()) {
            return;
        }
        if (queue.transactions().active()) {
            // The thread that ends a transaction must not use its datasource then
            queue.transactions().atEnd(() -> queue.execute(() -> end(session)));
        } else {
            end(session);
        }
    }

    private void end(Session session) {
        if (session.isPublished()) {
            endPublished(session);
            return;
        }
        session.endAt(System.nanoTime());
        if (session.end(System.nanoTime())) {
            known.remove(session.id(), session);
            release(session);
        }
    }

    private void endPublished(Session session) {
        Duration ttr = queue.settings().sessionTtr();
        again(session, () -> {
            List<Released> released = queue.registry().leave(session.id(), queue.node(), ttr);
            // Not before its time is over in the registry, where it begins with the leave
            session.endAt(System.nanoTime() + ttr.toNanos());
            queue.released(TubeEvent.RELEASED_BY_SESSION, released);
        });
        if (ttr.isZero()) {
            expire();
        } else {
            queue.deadlines().due(ttr);
        }
    }

    /**
     * Ends those that nobody took up in time; returns how long until the next one's time is over. What they hold in the
     * database is the registry's to release, which forgets them before anybody can get what they held.
     */
    Duration expire() {
        long now = System.nanoTime();
        List<Session> over = new ArrayList<>();
        // One that nobody else knows is ended, and its tasks released, by whoever closes it
        known.values().stream()
                .filter(session -> session.isPublished() && session.end(now))
                .forEach(over::add);
        if (!over.isEmpty()) {
            queue.expireSessions();
        }
        over.forEach(session -> {
            known.remove(session.id(), session);
            session.held().values().removeIf(tube -> !tube.definition().temporary());
            release(session);
        });
        return known.values().stream()
                .filter(Session::isPublished)
                .flatMap(session -> session.untilEnd(now).stream())
                .min(Comparator.naturalOrder())
                .orElse(Deadlines.LONGEST_SLEEP);
    }

    /** If the store fails meanwhile, it is done when the store is back: nobody else knows what to release. */
    private void release(Session session) {
        Map<TubeQueue, List<Long>> byTube = new ConcurrentHashMap<>();
        session.held().forEach((id, tube) -> byTube.computeIfAbsent(tube, t -> new ArrayList<>())
                .add(id));
        again(session, () -> {
            byTube.forEach((tube, ids) -> tube.releaseSession(session, ids));
            session.held().clear();
        });
    }

    private void again(Session session, Runnable work) {
        try {
            work.run();
        } catch (TaskTubeException e) {
            queue.execute(() -> again(session, work));
        }
    }
}
