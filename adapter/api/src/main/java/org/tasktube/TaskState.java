package org.tasktube;

/**
 * The states of a task, and the events that end them.
 *
 * <p>The letters are those of tarantool/queue. The {@code state} column of the task table has them.
 */
public enum TaskState {
    /** Waits for a consumer. Ends by take, bury, delete or ttl. */
    READY('r'),
    /**
     * Waits for its delay to expire. Ends by that, bury or delete. The ttl cannot expire here, because the delay was
     * added to it.
     */
    DELAYED('~'),
    /**
     * Held by a session. Ends by ack, release, requeue, bury, delete, ttr, or the end of the session. The ttl does not
     * remove it here.
     */
    TAKEN('t'),
    /** Set aside. Ends by kick, dig, delete or ttl. */
    BURIED('!'),
    /** Acked with a result, which is kept. Ends by delete or the result's ttl. */
    DONE('-');

    private final char letter;

    TaskState(char letter) {
        this.letter = letter;
    }

    /** Returns the letter of this state in the database and in listings. */
    public char letter() {
        return letter;
    }

    /**
     * Returns the state of a letter.
     *
     * @throws IllegalArgumentException if no state has this letter
     */
    public static TaskState of(char letter) {
        for (TaskState state : values()) {
            if (state.letter == letter) {
                return state;
            }
        }
        throw new IllegalArgumentException("no task state has the letter '" + letter + "'; they are r ~ t ! -");
    }
}
