package org.tasktube.sample.links;

/** What a link leads to: this decides how it is asked for, and what it is called when nothing is there. */
public enum LinkKind {
    /** A page that a reader goes to; fetched, and read for more links if it is HTML. */
    PAGE('p'),
    /** A style sheet; fetched and read too. */
    STYLE('s'),
    /** An image; only its head is asked for. */
    IMAGE('i'),
    /** A script or other file; only its head is asked for. */
    FILE('f'),
    /** Nothing that can be asked for, because the text is not an address. */
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
