package org.tasktube.text;

/** Checks the texts of people that become parts of a line of the log, such as a reason or a name. */
public final class OneLine {

    /** The most characters of a refused text in its error. */
    private static final int MOST_QUOTED = 40;

    private OneLine() {}

    /**
     * Checks a text.
     *
     * @param name the name of the text in an error
     * @throws IllegalArgumentException if it is blank, has more characters, or has control characters
     */
    public static void check(String name, String text, int most) {
        String shown = text.substring(0, Math.min(text.length(), MOST_QUOTED)).replaceAll("\\p{Cc}", "?");
        if (text.isBlank() || text.length() > most) {
            throw new IllegalArgumentException(name + " '" + shown + "' has " + text.length()
                    + " characters or is blank; set 1 to " + most + " characters, not all blank");
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(name + " '" + shown
                    + "' has control characters, which would break a line of the log; leave them out");
        }
    }
}
