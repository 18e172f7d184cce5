package org.tasktube.inflow;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** The questions that a delivery has for its server. */
public interface Container {

    /** Returns why the transaction on this thread cannot commit; empty if it can. */
    Optional<String> whyNoCommit();

    /**
     * Returns whether the transaction on this thread has nothing to commit: no resource, and no change of a temporary
     * tube. False where that cannot be known.
     */
    boolean hasNothingToCommit();

    /**
     * Runs steps around the commit of the transaction on this thread.
     *
     * @param before runs on this thread, after the work that others have left for the commit; never before a rollback
     * @param after learns whether it has committed
     */
    void atCommit(Runnable before, Consumer<Boolean> after);

    /** Makes the transaction on this thread roll back. */
    void setRollbackOnly();

    /**
     * Returns the reason why the server has not called the bean, if the exception means that. The specification has no
     * exception for it.
     */
    Optional<Refusal> refusal(Throwable thrown);

    /** Returns whether {@link #setTransactionTimeout} works here. */
    boolean hasTransactionTimeout();

    /**
     * Sets the timeout of the transactions that this thread begins.
     *
     * @param timeout whole seconds; zero for the server's default
     */
    void setTransactionTimeout(Duration timeout) throws Exception;
}
