package org.tasktube.store;

/**
 * Shows that the calling thread has stack left. An application may call from any depth, and an overflow of the stack is
 * an Error at any call, also at the one that frees a lock.
 */
public final class StackRoom {

    /** Several times the depth that it takes to free a lock, or to end a transaction in memory, compiled or not. */
    private static final int CALLS = 500;

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

    /** Returns a number, so that no compiler leaves the calls out. */
    private static int check(int calls) {
        return calls == 0 ? 0 : check(calls - 1) + 1;
    }
}
