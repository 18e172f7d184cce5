package org.tasktube.console.rest;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.OptionalLong;
import org.tasktube.admin.AuditAct;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/** Values in addresses. */
final class Numbers {

    private Numbers() {}

    static long id(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ProblemException(Kind.VALUE, "the id of a task is a whole number below 2^63");
        }
    }

    /** Returns a limit; the default if there is none. */
    static int limit(String text, int otherwise, int max) {
        try {
            int limit = text == null ? otherwise : Integer.parseInt(text);
            if (limit >= 1 && limit <= max) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // Out of its bounds as well
        }
        throw new ProblemException(Kind.VALUE, "the limit takes a whole number from 1 to " + max);
    }

    /** Returns where a page begins; empty for the first page. */
    static OptionalLong from(String text) {
        if (text == null || text.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw new ProblemException(
                    Kind.VALUE, "'from' is no position; send the 'next' of the page before, or leave it out");
        }
    }

    /** Returns a text; empty if there is none. */
    static Optional<String> text(String name, String text) {
        if (text != null && (text.length() > AuditAct.MAX_NAME || text.indexOf('\0') >= 0)) {
            throw new ProblemException(
                    Kind.VALUE, "'" + name + "' takes at most " + AuditAct.MAX_NAME + " characters without NUL");
        }
        return Optional.ofNullable(text).filter(value -> !value.isEmpty());
    }

    /** Returns a time; empty if there is none. */
    static Optional<Instant> time(String name, String text) {
        try {
            return Optional.ofNullable(text).filter(value -> !value.isEmpty()).map(Instant::parse);
        } catch (DateTimeParseException e) {
            throw new ProblemException(
                    Kind.VALUE, "'" + name + "' takes a time in UTC of ISO 8601, such as 2026-11-26T10:00:00Z");
        }
    }

    static boolean flag(String name, String text) {
        if (text == null || text.equals("false")) {
            return false;
        }
        if (text.equals("true")) {
            return true;
        }
        throw new ProblemException(Kind.VALUE, name + " takes true or false");
    }
}
