package org.tasktube.inflow;

import java.time.Duration;
import java.util.Optional;

/** The questions that a delivery has for its server. */
public interface Container {

    /** Returns why the transaction on this thread cannot commit; empty if it can. */
    Optional<String> whyNoCommit();

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
