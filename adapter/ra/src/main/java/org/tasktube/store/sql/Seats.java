package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.tasktube.TakeLimits;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.StoredTube;

/**
 * The limits of takes. A claim in a tube with a limit first locks free seats, one per task, and takes as many tasks as
 * it has seats. The schema says what a seat is, and when it is free.
 */
record Seats(Dialect dialect, SqlConnection on) {

    private static final String OF_TAKEN = "t";
    private static final String OF_RATE = "r";

    /** While another transaction has locked a seat that is free, or the task. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

    static boolean isOfTaken(String kind) {
        return kind.equals(OF_TAKEN);
    }

    /** Adds the seats that a tube of these limits lacks. */
    void add(int tube, TakeLimits limits) throws SQLException {
        add(tube, OF_TAKEN, limits.maxTaken());
        add(
                tube,
                OF_RATE,
                limits.maxRate().map(rate -> OptionalInt.of(rate.takes())).orElse(OptionalInt.empty()));
    }

    private void add(int tube, String kind, OptionalInt count) throws SQLException {
        if (count.isPresent()) {
            on.update(sql("add_seats"), Parameters.of("tube", tube, "kind", kind, "count", count.getAsInt()));
        }
    }

    /**
     * Takes tasks for which there are seats.
     *
     * @param own false in a transaction of the caller, which must keep no seat that it has no task for
     */
    List<ClaimedTask> claim(Claim claim, boolean own) throws SQLException {
        // There may be more READY tasks than this claim finds: others have locked them, or their ttl is over
        int wanted = on.first(
                        sql("count_ready"),
                        row -> row.getInt(3),
                        Parameters.of(
                                "tubes",
                                List.of(claim.tube().id()),
                                "max",
                                claim.range().max()))
                .orElse(0);
        while (!own && wanted > 0) {
            on.execute(sql("savepoint").text());
            Seated seated = seated(claim, wanted);
            if (seated.tasks.size() == seated.seats) {
                on.execute(sql("release_savepoint").text());
                return seated.tasks;
            }
            on.execute(sql("back_to_savepoint").text());
            on.execute(sql("release_savepoint").text());
            wanted = seated.tasks.size();
        }
        return wanted == 0 ? List.of() : seated(claim, wanted).tasks;
    }

    /** What a claim has taken, and how many seats of each kind it has locked. */
    private record Seated(List<ClaimedTask> tasks, int seats) {}

    private Seated seated(Claim claim, int wanted) throws SQLException {
        StoredTube tube = claim.tube();
        TakeLimits limits = tube.definition().takeLimits();
        List<Integer> ofRate = limits.maxRate().isPresent() ? lock(tube, OF_RATE, wanted) : null;
        int most = ofRate == null ? wanted : ofRate.size();
        List<Integer> ofTaken = limits.maxTaken().isPresent() ? lock(tube, OF_TAKEN, most) : null;
        int seats = ofRate == null ? (ofTaken == null ? 0 : ofTaken.size()) : most;
        most = ofTaken == null ? most : ofTaken.size();
        if (most == 0) {
            return new Seated(List.of(), seats);
        }
        List<ClaimedTask> claimed = dialect.claim(on, claim.atMost(most));
        sit(claim, OF_TAKEN, ofTaken, claimed);
        sit(claim, OF_RATE, ofRate, claimed);
        return new Seated(claimed, seats);
    }

    /**
     * Locks free seats, as many as are wanted if there are so many. Waits for no other transaction. Which seats are free
     * is read again when they are locked: one may have been used in between, or the limit be another one.
     */
    private List<Integer> lock(StoredTube tube, String kind, int wanted) throws SQLException {
        Parameters of = Parameters.of("tube", tube.id(), "kind", kind);
        Set<Integer> locked = new TreeSet<>();
        List<Integer> free = wanted == 0 ? List.of() : free(of);
        for (int from = 0; from < free.size() && locked.size() < wanted; ) {
            List<Integer> some = free.subList(from, Math.min(free.size(), from + wanted - locked.size()));
            locked.addAll(on.list(sql("lock_seats"), row -> row.getInt(1), of.and("seats", some)));
            from += some.size();
        }
        if (!locked.isEmpty()) {
            locked.retainAll(free(of));
        }
        return List.copyOf(locked);
    }

    private List<Integer> free(Parameters of) throws SQLException {
        // PostgreSQL counts them once in the statement, H2 for each seat: it gets the number
        Integer above = dialect.claimsInOneStatement()
                ? null
                : on.first(sql("seats_above"), row -> row.getInt(1), of).orElse(0);
        return on.list(sql("free_seats"), row -> row.getInt(1), of.and("above", above));
    }

    private void sit(Claim claim, String kind, List<Integer> seats, List<ClaimedTask> claimed) throws SQLException {
        if (seats != null && !claimed.isEmpty()) {
            List<Parameters> rows = new ArrayList<>();
            for (int i = 0; i < claimed.size(); i++) {
                rows.add(Parameters.of(
                        "tube", claim.tube().id(),
                        "kind", kind,
                        "seat", seats.get(i),
                        "task", claimed.get(i).task().id(),
                        "token", claim.token()));
            }
            on.batch(sql("sit"), rows);
        }
    }

    /** Returns when to look again for a READY task of a tube with a limit of takes in a time; empty if none is READY. */
    Optional<Duration> nextTurn(StoredTube tube) throws SQLException {
        return on.first(sql("next_turn"), row -> row.getLong(1), Parameters.of("tube", tube.id()))
                .map(millis -> millis > 0 ? Duration.ofMillis(millis) : LOOK_AGAIN);
    }

    /** Waits for the takes under way before the limits change. */
    void await(int tube) throws SQLException {
        on.update(sql("await_seats"), Parameters.of("tube", tube));
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
