package org.tasktube.ra;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
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
 * @param nothingToCommit whether the transaction of the calling thread is known to have nothing to commit
 */
record BeanContainer(
        TransactionSynchronizationRegistry registry,
        Function<Throwable, Optional<Refusal>> refusals,
        Supplier<Optional<TransactionManager>> manager,
        BooleanSupplier nothingToCommit)
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
        return nothingToCommit.getAsBoolean();
    }

    /** The step before the commit is interposed, so it comes after the flush of JPA, which is interposed too. */
    @Override
    public void atCommit(Runnable before, Consumer<Boolean> after) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                before.run();
            }

            @Override
            public void afterCompletion(int status) {
                after.accept(status == Status.STATUS_COMMITTED);
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
