package org.tasktube.admin;

/** Patterns in which {@code *} stands for any text, also for none. */
final class Wildcard {

    private Wildcard() {}

    /**
     * Returns whether a text fits a pattern. The time is at most the sum of both lengths, so that no pattern makes a
     * search slow.
     */
    static boolean matches(String pattern, String text) {
        int first = pattern.indexOf('*');
        if (first < 0) {
            return pattern.equals(text);
        }
        int last = pattern.lastIndexOf('*');
        String suffix = pattern.substring(last + 1);
        int end = text.length() - suffix.length();
        if (first > end || !text.startsWith(pattern.substring(0, first)) || !text.endsWith(suffix)) {
            return false;
        }
        int at = first;
        for (int begin = first + 1; begin <= last; ) {
            int star = pattern.indexOf('*', begin);
            at = endOf(pattern.substring(begin, star), text, at, end);
            if (at < 0) {
                return false;
            }
            begin = star + 1;
        }
        return true;
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
