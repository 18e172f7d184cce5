package org.tasktube.ra;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tasktube.inflow.Container;
import org.tasktube.inflow.Refusal;

/**
 * The server that calls the beans.
 *
 * @param refusals returns the meaning of the server's exceptions for a delivery
 * @param manager the server's transaction manager, where the server gives it; the contract of adapters does not
 * @param transactions what the transaction of the calling thread has to commit
 */
record BeanContainer(
        TransactionSynchronizationRegistry registry,
        Function<Throwable, Optional<Refusal>> refusals,
        Supplier<Optional<TransactionManager>> manager,
        JtaTransactions transactions)
        implements Container {

    /**
     * Asks for the status: after a timeout, the registry refuses other questions about a transaction that was rolled
     * back.
     */
    @Override
    public Optional<String> whyNoCommit() {
        return switch (registry.getTransactionStatus()) {
            case Status.STATUS_ACTIVE -> Optional.empty();
            case Status.STATUS_MARKED_ROLLBACK ->
                Optional.of(
                        "the transaction was marked for rollback: the bean called setRollbackOnly, a call in it failed,"
                                + " or its timeout is over");
            default ->
                Optional.of("the transaction ended before the bean did: its timeout is over; give it more time by"
                        + " transactionTimeout, or the bean less to do");
        };
    }

    @Override
    public boolean hasNothingToCommit() {
        return transactions.haveNothingToCommit();
    }

    @Override
    public boolean hasResource() {
        return transactions.haveResource();
    }

    /** The step is interposed, so it comes after the flush of JPA, which is interposed too. */
    @Override
    public void beforeCommit(Runnable step) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                step.run();
            }

            @Override
            public void afterCompletion(int status) {
                // Only the commit is of interest
            }
        });
    }

    @Override
    public void atEnd(Consumer<Boolean> action) {
        transactions.register(new Synchronization() {
            @Override
            public void beforeCompletion() {
                // Only the end is of interest
            }

            @Override
            public void afterCompletion(int status) {
                action.accept(status == Status.STATUS_COMMITTED);
            }
        });
    }

    /** Marks the transaction, unless it has been rolled back already. */
    @Override
    public void setRollbackOnly() {
        if (registry.getTransactionStatus() == Status.STATUS_ACTIVE) {
            registry.setRollbackOnly();
        }
    }

    @Override
    public Optional<Refusal> refusal(Throwable thrown) {
        return refusals.apply(thrown);
    }

    @Override
    public boolean hasTransactionTimeout() {
        return manager.get().isPresent();
    }

    @Override
    public void setTransactionTimeout(Duration timeout) throws Exception {
        TransactionManager found = manager.get()
                .orElseThrow(() -> new IllegalStateException(
                        "the server no longer gives its transaction manager; activate the bean again"));
        found.setTransactionTimeout((int) timeout.toSeconds());
    }
}
