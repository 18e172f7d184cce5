package org.tasktube.ra;

import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tasktube.inflow.Container;
import org.tasktube.inflow.Refusal;

/**
 * The server that beans are called in.
 *
 * @param refusals what an exception of the server means for a delivery
 * @param manager the server's transaction manager, where it has a way to get it; the contract of adapters has none
 */
record BeanContainer(
        TransactionSynchronizationRegistry registry,
        Function<Throwable, Optional<Refusal>> refusals,
        Supplier<Optional<TransactionManager>> manager)
        implements Container {

    /** Asks for the status: of a transaction that was rolled back after its timeout the registry refuses the question. */
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

    /** A transaction that has been rolled back already needs no mark. */
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
        TransactionManager found =
                manager.get().orElseThrow(() -> new IllegalStateException("the transaction manager is gone"));
        found.setTransactionTimeout((int) timeout.toSeconds());
    }
}
