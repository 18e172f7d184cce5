package org.tasktube;

/**
 * The modes of a tube. A tube has one of them at a time, on all servers and over restarts. {@link Tube#pause},
 * {@link Tube#drain} and {@link Tube#resume} change it.
 *
 * <p>The {@code mode} column of the tube table has the letters.
 */
public enum TubeMode {
    /** Accepts puts and takes. */
    OPEN('o'),
    /** Accepts puts. No task is taken, and no task is delivered to a bean. */
    PAUSED('p'),
    /** Its tasks are taken and delivered. Each put fails with a {@link TubeDrainingException}. */
    DRAINING('d');

    private final char letter;

    TubeMode(char letter) {
        this.letter = letter;
    }

    /** Returns the letter of this mode in the database. */
    public char letter() {
        return letter;
    }

    /**
     * Returns the mode of a letter.
     *
     * @throws IllegalArgumentException if no mode has this letter
     */
    public static TubeMode of(char letter) {
        for (TubeMode mode : values()) {
            if (mode.letter == letter) {
                return mode;
            }
        }
        throw new IllegalArgumentException("no mode of a tube has the letter '" + letter + "'; they are o p d");
    }
}
