package org.tasktube.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.tasktube.session.Session;
import org.tasktube.store.Released;
import org.tasktube.store.Taken;
import org.tasktube.store.Transition;
import org.tasktube.store.sql.Registry;

/**
 * Releases tasks that are TAKEN without a live holder. If a claim's answer was lost, its task is TAKEN under this
 * server's number. Then the {@link ClaimLedger} does not know its token, and no session here holds it. Such a task is
 * returned. A task under a number that is no longer registered has no holder, unless a registered session holds it.
 */
final class HolderCheck {

    private final Duration sessionTtr;
    private final Sessions sessions;
    private final ClaimLedger claims;
    private final MaintenanceEffects effects;
    private final Recount recount;

    HolderCheck(
            Duration sessionTtr, Sessions sessions, ClaimLedger claims, MaintenanceEffects effects, Recount recount) {
        this.sessionTtr = sessionTtr;
        this.sessions = sessions;
        this.claims = claims;
        this.effects = effects;
        this.recount = recount;
    }

    /**
     * Returns tasks without a holder, also those that this server took under a former number. Forgets held tasks that
     * the database no longer has as TAKEN. Leaves sessions that this server has left before, and that the database still
     * has here; registers those that it has and the database has lost.
     */
    void check(Registry registry, int number) {
        Map<Session, Map<Long, Session.Held>> heldBefore = heldInDatabase(sessions.known());
        List<Taken> taken = registry.taken();
        // Checked after the database's answer, because a session holds the tasks of claims that have ended by now
        List<Taken> orphans = new ArrayList<>();
        List<Taken> unheld = new ArrayList<>();
        for (Taken each : taken) {
            boolean under = each.node() == number;
            if (under && isHeldHere(each)) {
                continue;
            }
            if (claims.isLost(each.token()) || (under && !each.sessionIsKnown())) {
                orphans.add(each);
            } else if (each.isUnheld()) {
                unheld.add(each);
            }
        }
        // Fewer than were found, if holders have acked some since the read
        logReleased(returnOrphans(registry, orphans) + release(registry, unheld));
        forgetLost(heldBefore, taken);
        compareSessions(registry, number);
        claims.forgetOld();
    }

    private void compareSessions(Registry registry, int number) {
        List<Session> lost = sessions.registered();
        Set<UUID> there = new HashSet<>();
        Predicate<UUID> isKnown = session -> {
            there.add(session);
            return sessions.find(session).isPresent();
        };
        effects.released(Transition.SESSION_END, registry.leaveUnknown(number, isKnown, sessionTtr));
        lost.stream().filter(session -> !there.contains(session.id())).forEach(sessions::registerAgain);
    }

    /**
     * Returns tasks of lost claims; returns their number. Statistics may have counted no take of them, so all tasks are
     * counted again.
     */
    private int returnOrphans(Registry registry, List<Taken> orphans) {
        List<Released> returned = registry.returnUnstarted(orphans);
        effects.released(Transition.SESSION_END, returned);
        if (!returned.isEmpty()) {
            recount.soon();
        }
        return count(returned);
    }

    private int release(Registry registry, List<Taken> unheld) {
        List<Released> released = registry.release(unheld);
        effects.released(Transition.SERVER_END, released);
        return count(released);
    }

    private static int count(List<Released> released) {
        return released.stream().mapToInt(each -> each.ids().size()).sum();
    }

    private static void logReleased(int tasks) {
        if (tasks > 0) {
            Log.LOG.withoutHolder(tasks);
        }
    }

    private boolean isHeldHere(Taken taken) {
        return claims.isUnderWay(taken.token())
                || sessions.find(taken.session())
                        .filter(session -> session.holds(taken.id(), taken.token()))
                        .isPresent();
    }

    private static Map<Session, Map<Long, Session.Held>> heldInDatabase(Collection<Session> sessions) {
        Map<Session, Map<Long, Session.Held>> held = new HashMap<>();
        sessions.forEach(session -> held.put(session, Map.copyOf(session.held())));
        return held;
    }

    /**
     * Forgets tasks whose ttr has expired, or which were deleted. No ack may come for them, so the session would
     * remember them for ever.
     */
    private static void forgetLost(Map<Session, Map<Long, Session.Held>> heldBefore, List<Taken> taken) {
        Set<Long> tokens = new HashSet<>();
        taken.forEach(each -> tokens.add(each.token()));
        heldBefore.forEach((session, held) -> held.forEach((id, entry) -> {
            if (!tokens.contains(entry.token())) {
                session.removeHeld(id, entry.token());
            }
        }));
    }
}
