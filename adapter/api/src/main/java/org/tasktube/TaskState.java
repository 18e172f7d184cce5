package org.tasktube;

/**
 * Where a task stands, and what moves it on.
 *
 * <p>The letters are those of tarantool/queue; they are what the {@code state} column of the task table holds.
 */
public enum TaskState {
    /** Waits for a consumer. Left by take, bury, delete, or the end of its ttl. */
    READY('r'),
    /** Waits for its delay to end. Left by that, bury, or delete; ttl does not fire here, the delay was added to it. */
    DELAYED('~'),
    /** Held by a session. Left by ack, release, requeue, bury, delete, ttr, or the end of the session; ttl waits. */
    TAKEN('t'),
    /** Set aside. Left by kick, dig, delete, or the end of its ttl. */
    BURIED('!'),
    /** Worked off, its result kept for a while. Left by delete, or the end of the result's ttl. */
    DONE('-');

    private final char letter;

    TaskState(char letter) {
        this.letter = letter;
    }

    /** The letter that stands for this state in the database and in listings. */
    public char letter() {
        return letter;
    }

    /**
     * The state that a letter stands for.
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
