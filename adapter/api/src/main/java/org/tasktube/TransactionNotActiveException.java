package org.tasktube;

/**
 * The calling thread is in a JTA transaction that takes no more work: its timeout is over, it is marked for rollback, or it
 * is ending. The call changed nothing, and what the transaction did before is undone unless it has committed.
 */
public final class TransactionNotActiveException extends TaskTubeException {

    private static final long serialVersionUID = 1;

    public TransactionNotActiveException(String message) {
        super(message);
    }

    public TransactionNotActiveException(String message, Throwable cause) {
        super(message, cause);
    }
}
