package org.tasktube.inflow;

import java.time.Duration;
import java.util.Optional;

/** What a delivery must know of the server that it is in. */
public interface Container {

    /** Returns why the transaction on this thread cannot commit; empty if it can. */
    Optional<String> whyNoCommit();

    /** Makes the transaction on this thread roll back. */
    void setRollbackOnly();

    /**
     * Returns what kept the server from calling the bean, if an exception means that. The specification has no exception
     * for it.
     */
    Optional<Refusal> refusal(Throwable thrown);

    /** Returns whether {@link #setTransactionTimeout} works here. */
    boolean hasTransactionTimeout();

    /**
     * Sets how long the transactions may take that this thread begins.
     *
     * @param timeout whole seconds; zero for the server's default
     */
    void setTransactionTimeout(Duration timeout) throws Exception;
}
