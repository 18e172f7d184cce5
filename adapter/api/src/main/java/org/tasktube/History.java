package org.tasktube;

/**
 * The moves of tasks that a tube keeps as their history. {@link org.tasktube.admin.TaskAdmin#history} returns it, also
 * for tasks that are gone. {@link TubeDefinition#historyRetention()} says for how long.
 *
 * <p>The {@code history} column of the tube table has the letters.
 */
public enum History {
    /** Keeps nothing, and costs nothing. */
    OFF('o'),
    /**
     * Keeps each failed delivery, and each end that no holder chose: of a ttr, of a ttl, of a session and of a server.
     * The cost is one row per such move.
     */
    FAILURES('f'),
    /** Keeps each put, take, ack and other move. The cost is one row per move. */
    ALL('a');

    private final char letter;

    History(char letter) {
        this.letter = letter;
    }

    /** Returns the letter of this history in the database. */
    public char letter() {
        return letter;
    }

    /**
     * Returns the history of a letter.
     *
     * @throws IllegalArgumentException if no history has this letter
     */
    public static History of(char letter) {
        for (History history : values()) {
            if (history.letter == letter) {
                return history;
            }
        }
        throw new IllegalArgumentException("no history has the letter '" + letter + "'; they are o f a");
    }
}
