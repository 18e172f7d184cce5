package org.tasktube.tube;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TubeChange;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;

/** The defaults of one tube as this server knows them. An open transaction sees its own change until its end. */
public final class CachedTube {

    private final TubeContext context;
    private final Transactions transactions;
    private final Runnable onLimits;
    private final Map<Object, StoredTube> uncommitted = new ConcurrentHashMap<>();
    private volatile StoredTube committed;

    /** @param onLimits follows a change of the limits of takes */
    CachedTube(StoredTube tube, TubeContext context, Runnable onLimits) {
        this.committed = tube;
        this.onLimits = onLimits;
        this.context = context;
        this.transactions = context.transactions();
    }

    /** Returns the tube that the caller's transaction sees. */
    StoredTube here() {
        return uncommitted.isEmpty() || !transactions.active()
                ? committed
                : uncommitted.getOrDefault(transactions.key(), committed);
    }

    /**
     * Changes defaults: for the caller's transaction now, for others after the commit. Returns the definition after the
     * change.
     */
    public TubeDefinition change(TubeChange change) {
        StoredTube before = here();
        TubeDefinition wanted = change.applyTo(before.definition());
        context.drivers().of(wanted.type()).check(wanted);
        StoredTube changed = context.directory().change(before, change);
        if (transactions.active()) {
            Object transaction = transactions.key();
            uncommitted.put(transaction, changed);
            transactions.atEnd(() -> uncommitted.remove(transaction));
        }
        transactions.afterCommit(() -> learn(changed));
        return changed.definition();
    }

    /** Applies a committed change, unless a later one is known. */
    public synchronized void learn(StoredTube tube) {
        StoredTube before = committed;
        if (tube.changes() > before.changes()) {
            committed = tube;
            if (!tube.definition().takeLimits().equals(before.definition().takeLimits())) {
                onLimits.run();
            }
        }
    }
}
