package org.tasktube.admin;

/** The text of a filter is wrong. The message names the wrong part, what the field takes, and an example. */
public final class FilterException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    private final int position;

    FilterException(int position, String message) {
        super(message + ", at character " + (position + 1) + " of the filter");
        this.position = position;
    }

    /** Returns the index of the wrong condition's first character in the text, from 0. */
    public int position() {
        return position;
    }
}
