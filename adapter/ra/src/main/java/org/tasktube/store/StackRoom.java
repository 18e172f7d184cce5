package org.tasktube.store;

/**
 * Shows that the calling thread has stack left. An application may call from any depth, and an overflow of the stack is
 * an Error at any call, also at the one that frees a lock.
 */
public final class StackRoom {

    /** Several times the depth that it takes to free a lock, compiled or not. */
    private static final int CALLS = 500;

    /**
     * More than the stack of a statement in the server's pool and in a driver. Each statement pays for it: 2,000 calls,
     * whose stack leaves no room in the caches for anything else, took a third of the server's time.
     */
    private static final int CALLS_OF_A_DRIVER = 600;

    private StackRoom() {}

    /**
     * Call this before a lock is taken, in the method that frees it. A {@code ReentrantLock} can be taken by a call
     * that throws this Error, and such a call can fail to free it.
     *
     * @throws StackOverflowError if there is not stack enough for the work that must not be cut
     */
    public static void check() {
        check(CALLS);
    }

    /**
     * Call this before a connection to a database is lent. An overflow in a driver, between a request and the read of
     * its answer, leaves the answer to the next user of the connection.
     *
     * @throws StackOverflowError if there is not stack enough for a statement
     */
    public static void checkForDriver() {
        check(CALLS_OF_A_DRIVER);
    }

    /** Returns a number, so that no compiler leaves the calls out. */
    private static int check(int calls) {
        return calls == 0 ? 0 : check(calls - 1) + 1;
    }
}
