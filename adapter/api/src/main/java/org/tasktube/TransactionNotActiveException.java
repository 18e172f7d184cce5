package org.tasktube;

/**
 * The calling thread is in a JTA transaction that takes no more work: it has timed out, is marked for rollback, or is
 * ending. The call changed nothing. Unless the transaction has committed, its earlier work is undone.
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
