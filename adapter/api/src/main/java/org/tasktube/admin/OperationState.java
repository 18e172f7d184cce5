package org.tasktube.admin;

/** The states of an {@link Operation}. The letters are in the column {@code state} of its table. */
public enum OperationState {
    /** Waits for a server that runs it. */
    WAITING('w'),
    /** Some of its batches may be done. If its server dies, another server runs the rest. */
    RUNNING('r'),
    /** All of its tasks were looked at. Listeners may not have been notified of the last ones yet. */
    DONE('d'),
    /** A user has cancelled it. The batches that were done stand. */
    CANCELLED('c'),
    /** A fault that stays has ended it. The batches that were done stand. */
    FAILED('f'),
    /**
     * It has changed as many tasks as its user confirmed, and found that more fit. These are left as they are: look
     * again, and start another operation for them.
     */
    STOPPED('s');

    private final char letter;

    OperationState(char letter) {
        this.letter = letter;
    }

    /** Returns the letter of this state in the database. */
    public char letter() {
        return letter;
    }

    /** Returns whether the operation changes no more tasks. */
    public boolean isEnded() {
        return this != WAITING && this != RUNNING;
    }

    /**
     * Returns the state of a letter.
     *
     * @throws IllegalArgumentException if no state has this letter
     */
    public static OperationState of(char letter) {
        for (OperationState state : values()) {
            if (state.letter == letter) {
                return state;
            }
        }
        throw new IllegalArgumentException(
                "no state of an operation has the letter '" + letter + "'; they are w r d c f s");
    }
}
