package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
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

    /** @param token of its last use */
    private record Seat(int n, long token) {}

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

    /** Takes tasks for which there are seats. */
    List<ClaimedTask> claim(Claim claim) throws SQLException {
        StoredTube tube = claim.tube();
        // A take in a transaction of the caller must not keep seats that it has no tasks for
        int ready = on.first(
                        sql("count_ready"),
                        row -> row.getInt(3),
                        Parameters.of(
                                "tubes",
                                List.of(tube.id()),
                                "max",
                                claim.range().max()))
                .orElse(0);
        TakeLimits limits = tube.definition().takeLimits();
        List<Integer> ofTaken = limits.maxTaken().isPresent() ? lock(tube, OF_TAKEN, ready) : null;
        int most = ofTaken == null ? ready : ofTaken.size();
        List<Integer> ofRate = limits.maxRate().isPresent() ? lock(tube, OF_RATE, most) : null;
        most = ofRate == null ? most : ofRate.size();
        if (most == 0) {
            return List.of();
        }
        List<ClaimedTask> claimed = dialect.claim(on, claim.atMost(most));
        sit(claim, OF_TAKEN, ofTaken, claimed);
        sit(claim, OF_RATE, ofRate, claimed);
        return claimed;
    }

    /** Locks free seats, as many as are wanted if there are so many. Waits for no other transaction. */
    private List<Integer> lock(StoredTube tube, String kind, int wanted) throws SQLException {
        Parameters of = Parameters.of("tube", tube.id(), "kind", kind);
        List<Integer> locked = new ArrayList<>();
        List<Seat> free = wanted == 0 ? List.of() : on.list(sql("free_seats"), Seats::seat, of);
        for (int from = 0; from < free.size() && locked.size() < wanted; ) {
            List<Seat> some = free.subList(from, Math.min(free.size(), from + wanted - locked.size()));
            Map<Integer, Long> now = new HashMap<>();
            List<Integer> numbers = some.stream().map(Seat::n).toList();
            on.list(sql("lock_seats"), row -> now.put(row.getInt(1), row.getLong(2)), of.and("seats", numbers));
            some.stream()
                    .filter(seat -> Long.valueOf(seat.token).equals(now.get(seat.n)))
                    .forEach(seat -> locked.add(seat.n));
            from += some.size();
        }
        return locked;
    }

    private static Seat seat(ResultSet row) throws SQLException {
        return new Seat(row.getInt(1), row.getLong(2));
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

    /** Returns the time until the next take of a tube with a limit of takes in a time; empty if it can be now. */
    Optional<Duration> nextTurn(StoredTube tube) throws SQLException {
        return on.first(sql("next_turn"), row -> Duration.ofMillis(row.getLong(1)), Parameters.of("tube", tube.id()))
                .filter(wait -> wait.toMillis() > 0);
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
