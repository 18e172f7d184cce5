package org.tasktube.inflow;

/** What a delivery must know of the server that it is in. */
public interface Container {

    /** Whether the transaction on this thread can only roll back, for instance because the bean called for it. */
    boolean isRollbackOnly();

    /** Makes the transaction on this thread roll back. */
    void setRollbackOnly();

    /**
     * Whether what a call of a bean threw means that the server let nobody in, because it suspends, or the bean is being
     * undeployed. The specification has no exception for that.
     */
    boolean isRefusal(Throwable thrown);
}
