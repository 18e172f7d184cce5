package org.tasktube.sample.links;

/** The kind of a link's target. It decides how the target is fetched, and what a broken link is called. */
public enum LinkKind {
    /** A page for readers: fetched, and read for more links if it is HTML. */
    PAGE('p'),
    /** A style sheet: fetched and read, too. */
    STYLE('s'),
    /** An image: only its head is fetched. */
    IMAGE('i'),
    /** A script or other file: only its head is fetched. */
    FILE('f'),
    /** A text that is not an address, so that nothing can be fetched. */
    NO_ADDRESS('x');

    private final char letter;

    LinkKind(char letter) {
        this.letter = letter;
    }

    char letter() {
        return letter;
    }

    static LinkKind of(char letter) {
        for (LinkKind kind : values()) {
            if (kind.letter == letter) {
                return kind;
            }
        }
        throw new IllegalArgumentException("no kind of link has the letter '" + letter + "'");
    }
}
