package org.tasktube.admin;

/** Patterns in which {@code *} stands for any text, also for none. */
final class Wildcard {

    private Wildcard() {}

    /**
     * Returns whether a text fits a pattern. The time is at most the product of both lengths, so that no pattern makes
     * a search slow.
     */
    static boolean matches(String pattern, String text) {
        int star = -1;
        int resumeAt = 0;
        int p = 0;
        int t = 0;
        while (t < text.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resumeAt = t;
            } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++resumeAt;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
