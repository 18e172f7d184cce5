package org.tasktube.inflow;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** The questions that a delivery has for its server. */
public interface Container {

    /** Returns why the transaction on this thread cannot commit; empty if it can. */
    Optional<String> whyNoCommit();

    /**
     * Returns whether the transaction on this thread has nothing to commit: no resource, and nothing waits for its end.
     * False where that cannot be known.
     */
    boolean hasNothingToCommit();

    /** Returns whether the transaction on this thread is known to have a resource, also at its end. */
    boolean hasResource();

    /** Runs a step before the commit of the transaction on this thread, after all others so far; not before a rollback. */
    void beforeCommit(Runnable step);

    /** Tells an action whether the transaction on this thread has committed. */
    void atEnd(Consumer<Boolean> action);

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
