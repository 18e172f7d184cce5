package org.tasktube.rules;

/** How a rule's calls are made. */
enum Mode {
    IN_JTA("J", "in a transaction"),
    OUTSIDE("O", "outside a transaction");

    private final String letter;
    private final String words;

    Mode(String letter, String words) {
        this.letter = letter;
        this.words = words;
    }

    String letter() {
        return letter;
    }

    @Override
    public String toString() {
        return words;
    }
}
