package org.tasktube.node;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tasktube.session.Session;
import org.tasktube.store.Registry;
import org.tasktube.store.Taken;
import org.tasktube.store.Transition;

/**
 * Sees to it that no task is TAKEN without a live holder. A task that is TAKEN under this server's number, by a token that
 * the {@link ClaimLedger} does not know and no session here holds, was claimed by a statement whose answer was lost, and is
 * given back. A task under a number that is not registered any more belongs to nobody, unless a session that others know
 * holds it.
 */
final class Custody {

    private final Sessions sessions;
    private final ClaimLedger claims;
    private final MaintenanceEffects effects;

    Custody(Sessions sessions, ClaimLedger claims, MaintenanceEffects effects) {
        this.sessions = sessions;
        this.claims = claims;
        this.effects = effects;
    }

    /** Gives back what nobody holds, takes over what this server holds under a former number, forgets what it lost. */
    void check(Registry registry, int number) {
        Map<Session, Map<Long, Session.Held>> heldBefore = heldInDatabase(sessions.known());
        List<Taken> taken = registry.taken();
        // Looked up after the database's answer: a claim that has ended meanwhile is held by then
        List<Taken> orphans = new ArrayList<>();
        List<Taken> unheld = new ArrayList<>();
        List<Taken> ours = new ArrayList<>();
        for (Taken each : taken) {
            boolean under = each.node() == number;
            boolean underFormer = claims.isFormer(each.node());
            if ((under || underFormer) && isHeldHere(each)) {
                if (underFormer) {
                    ours.add(each);
                }
            } else if (under && (!each.sessionIsKnown() || claims.isLost(each.token()))) {
                orphans.add(each);
            } else if (each.isUnheld()) {
                unheld.add(each);
            }
        }
        registry.adopt(ours, number);
        effects.released(Transition.SESSION_END, registry.giveBack(orphans));
        effects.released(Transition.SERVER_END, registry.release(unheld));
        told(orphans.size() + unheld.size());
        forgetLost(heldBefore, taken);
        claims.forgetOld();
    }

    private static void told(int tasks) {
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

    /** A task that ran out of its ttr, or was deleted, may never be acked, and so would be remembered for ever. */
    private static void forgetLost(Map<Session, Map<Long, Session.Held>> heldBefore, List<Taken> taken) {
        Set<Long> tokens = new HashSet<>();
        taken.forEach(each -> tokens.add(each.token()));
        heldBefore.forEach((session, held) -> held.forEach((id, entry) -> {
            if (!entry.tube().definition().temporary() && !tokens.contains(entry.token())) {
                session.holdsNoMore(id, entry.token());
            }
        }));
    }
}
