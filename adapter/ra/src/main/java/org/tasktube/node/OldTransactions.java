package org.tasktube.node;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.tasktube.admin.OldTransaction;
import org.tasktube.store.sql.Registry;

/** Looks for the transaction of anybody that keeps dead rows in the tables, and names it in the log, once. */
public final class OldTransactions {

    private static final Duration OLD = Duration.ofMinutes(5);

    private volatile Optional<OldTransaction> last = Optional.empty();

    /** Returns the oldest transaction as of the last look, if it is old. */
    public Optional<OldTransaction> last() {
        return last;
    }

    void look(Registry registry) {
        look(registry, OLD);
    }

    void look(Registry registry, Duration old) {
        Optional<OldTransaction> found = registry.oldestTransaction(old);
        Optional<Instant> former = last.map(OldTransaction::since);
        last = found;
        if (!found.map(OldTransaction::since).equals(former)) {
            found.ifPresent(each -> Log.LOG.oldTransaction(each.holder(), each.since(), each.age(), each.nextStep()));
        }
    }
}
