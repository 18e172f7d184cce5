package org.tasktube.inflow;

/** The transaction that the container began for a delivery, while it is on this thread. */
public interface BeanTransaction {

    /** Whether it can only roll back, for instance because the bean called {@code setRollbackOnly}. */
    boolean isRollbackOnly();

    /** Makes it roll back. */
    void setRollbackOnly();
}
