package org.tasktube.store.sql;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;

/** Promotes the heads of sub-queues, and takes tasks. */
final class Claims {

    /** The most rounds in which a take works off some thousand dirty marks each, before it returns no task. */
    private static final int PROMOTION_ROUNDS = 1_000;

    private final Jdbc jdbc;
    private final Dialect dialect;
    private final HistoryMoves moves;

    Claims(Jdbc jdbc, Dialect dialect, HistoryMoves moves) {
        this.jdbc = jdbc;
        this.dialect = dialect;
        this.moves = moves;
    }

    List<ClaimedTask> claim(StoredTube tube, Holder holder, long token, ClaimRange range) {
        Parameters move = tube.keeps(Transition.TAKE, false) ? moves.values(holder) : null;
        boolean own = !jdbc.inTransaction();
        Claim claim =
                new Claim(tube, holder, token, range, move, own && holder.bean().isPresent());
        if (tube.isLimited()) {
            if (tube.subQueues() && own) {
                promoteHeads(tube);
            }
            return jdbc.atomic("take", on -> new Seats(dialect, on).claim(claim, own));
        }
        return tube.subQueues() && own ? promoteAndClaim(claim) : claim(on -> dialect.claim(on, claim));
    }

    /**
     * Promotes and claims in rounds, each in a transaction of its own. If a limit of time ends a round, the heads that
     * earlier rounds promoted stay.
     */
    private List<ClaimedTask> promoteAndClaim(Claim claim) {
        for (int round = 1; ; round++) {
            Claim.Answer claimed = claim(on -> dialect.promoteAndClaim(on, claim));
            if (!claimed.tasks().isEmpty() || !claimed.marksLeft() || round == PROMOTION_ROUNDS) {
                return claimed.tasks();
            }
        }
    }

    private <T> T claim(Jdbc.Work<T> work) {
        return dialect.claimsInOneStatement() ? jdbc.single("take", work) : jdbc.atomic("take", work);
    }

    Optional<Duration> nextTurn(StoredTube tube) {
        return jdbc.single("read when the next task can be taken", on -> new Seats(dialect, on).nextTurn(tube));
    }

    void promoteHeads(StoredTube tube) {
        for (int round = 1; promote(tube) && round < PROMOTION_ROUNDS; round++) {
            // Marks are left, and the marks that were read gave too few ready tasks
        }
    }

    /** Promotes in one statement if the database can, so that no frozen server holds the lock of promotions. */
    private boolean promote(StoredTube tube) {
        Jdbc.Work<Boolean> work = on -> dialect.promoteHeads(on, tube.id());
        return dialect.claimsInOneStatement()
                ? jdbc.single("promote heads of sub-queues", work)
                : jdbc.atomic("promote heads of sub-queues", work);
    }
}
