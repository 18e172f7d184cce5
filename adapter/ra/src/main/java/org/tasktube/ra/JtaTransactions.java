package org.tasktube.ra;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.ArrayList;
import java.util.List;
import org.tasktube.store.Transactions;

/** Follows JTA transactions by one Synchronization each. */
public final class JtaTransactions implements Transactions {

    private final TransactionSynchronizationRegistry registry;

    public JtaTransactions(TransactionSynchronizationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public boolean active() {
        return switch (registry.getTransactionStatus()) {
            case Status.STATUS_ACTIVE, Status.STATUS_MARKED_ROLLBACK, Status.STATUS_PREPARING -> true;
            default -> false;
        };
    }

    @Override
    public Object key() {
        return registry.getTransactionKey();
    }

    @Override
    public void afterCommit(Runnable action) {
        if (active()) {
            effects().afterCommit.add(action);
        } else {
            action.run();
        }
    }

    @Override
    public void atEnd(Runnable action) {
        if (active()) {
            effects().atEnd.add(action);
        } else {
            action.run();
        }
    }

    private Effects effects() {
        Effects effects = (Effects) registry.getResource(this);
        if (effects == null) {
            effects = new Effects();
            registry.registerInterposedSynchronization(effects);
            registry.putResource(this, effects);
        }
        return effects;
    }

    /** What is to be done in memory when the transaction ends. */
    private static final class Effects implements Synchronization {

        private final List<Runnable> afterCommit = new ArrayList<>(4);
        private final List<Runnable> atEnd = new ArrayList<>(1);

        @Override
        public void beforeCompletion() {
            // All is in the database already
        }

        @Override
        public void afterCompletion(int status) {
            if (status == Status.STATUS_COMMITTED) {
                afterCommit.forEach(Runnable::run);
            }
            atEnd.forEach(Runnable::run);
        }
    }
}
