package org.tasktube.store;

import java.time.Duration;
import java.util.Optional;

/**
 * The terms of a registered session, which all servers know.
 *
 * @param kept the time for which it stays without a connection; empty for the ttr of sessions
 * @param owner the owner that the application has named; empty for none
 */
public record SessionTerms(Optional<Duration> kept, Optional<String> owner) {

    /** The terms of a session that an application has only identified. */
    public static final SessionTerms NONE = new SessionTerms(Optional.empty(), Optional.empty());

    /** Returns former terms with these changes. The first owner stays. */
    public SessionTerms changing(SessionTerms former) {
        return new SessionTerms(kept.or(former::kept), former.owner.or(() -> owner));
    }

    /** Returns the same owner with another time. */
    public SessionTerms keptFor(Duration time) {
        return new SessionTerms(Optional.of(time), owner);
    }

    /** Returns the same time with an owner. */
    public SessionTerms ownedBy(String name) {
        return new SessionTerms(kept, Optional.of(name));
    }
}
