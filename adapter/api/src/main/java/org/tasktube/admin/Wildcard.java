package org.tasktube.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Patterns in which {@code *} stands for any text, also for none. After a backslash it is an ordinary star. */
final class Wildcard {

    private static final String SPECIAL = "*\\";

    private Wildcard() {}

    /** Returns whether the character at a position is a backslash before one of the characters that need it. */
    static boolean isEscape(String pattern, int at) {
        return pattern.charAt(at) == '\\' && at + 1 < pattern.length() && SPECIAL.indexOf(pattern.charAt(at + 1)) >= 0;
    }

    /** Returns the one text that fits a pattern; empty if any text fits a part of it. */
    static Optional<String> only(String pattern) {
        List<String> parts = parts(pattern);
        return parts.size() == 1 ? Optional.of(parts.get(0)) : Optional.empty();
    }

    /** Returns the texts between the stars of a pattern. */
    private static List<String> parts(String pattern) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            if (isEscape(pattern, i)) {
                i++;
                part.append(pattern.charAt(i));
            } else if (pattern.charAt(i) == '*') {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                part.append(pattern.charAt(i));
            }
        }
        parts.add(part.toString());
        return parts;
    }

    /**
     * Returns whether a text fits a pattern. The time is at most the sum of both lengths, so that no pattern makes a
     * search slow.
     */
    static boolean matches(String pattern, String text) {
        List<String> parts = parts(pattern);
        String prefix = parts.get(0);
        int last = parts.size() - 1;
        if (last == 0) {
            return prefix.equals(text);
        }
        String suffix = parts.get(last);
        int end = text.length() - suffix.length();
        if (prefix.length() > end || !text.startsWith(prefix) || !text.endsWith(suffix)) {
            return false;
        }
        int at = prefix.length();
        for (int i = 1; i < last && at >= 0; i++) {
            at = endOf(parts.get(i), text, at, end);
        }
        return at >= 0;
    }

    /**
     * Returns the end of the first occurrence of a part between two positions of a text; below 0 without one. After a
     * mismatch it goes on with the longest begin of the part that the text has there (Knuth, Morris and Pratt):
     * {@code String.indexOf} would begin anew at each position.
     */
    private static int endOf(String part, String text, int from, int to) {
        int[] begins = begins(part);
        int matched = 0;
        for (int i = from; i < to && matched < part.length(); i++) {
            while (matched > 0 && part.charAt(matched) != text.charAt(i)) {
                matched = begins[matched - 1];
            }
            if (part.charAt(matched) == text.charAt(i)) {
                matched++;
            }
            if (matched == part.length()) {
                return i + 1;
            }
        }
        return part.isEmpty() ? from : -1;
    }

    /** Returns, for each position, the length of the longest begin of the part that also ends there. */
    private static int[] begins(String part) {
        int[] begins = new int[part.length()];
        int length = 0;
        for (int i = 1; i < part.length(); i++) {
            while (length > 0 && part.charAt(i) != part.charAt(length)) {
                length = begins[length - 1];
            }
            if (part.charAt(i) == part.charAt(length)) {
                length++;
            }
            begins[i] = length;
        }
        return begins;
    }
}
