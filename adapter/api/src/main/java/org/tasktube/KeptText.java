package org.tasktube;

import java.nio.charset.StandardCharsets;

/** Fits a text to a column of a database. */
final class KeptText {

    private KeptText() {}

    /**
     * Cuts a text, and replaces NUL and half characters: a database would refuse them, and the failure would be lost.
     */
    static String cut(String text, int max) {
        String fitting = text.length() <= max ? text : text.substring(0, max);
        byte[] encoded = fitting.replace('\0', ' ').getBytes(StandardCharsets.UTF_8);
        return new String(encoded, StandardCharsets.UTF_8);
    }
}
