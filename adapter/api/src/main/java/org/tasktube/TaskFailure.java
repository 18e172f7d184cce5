package org.tasktube;

import java.io.PrintWriter;
import java.io.Serializable;
import java.io.StringWriter;
import java.util.Objects;

/**
 * Why a delivery to a bean failed; each part is cut to what the database keeps.
 *
 * @param type the class of the exception
 * @param message its message, empty if it had none
 * @param trace the first lines of its stack trace
 */
public record TaskFailure(String type, String message, String trace) implements Serializable {

    public static final int MAX_TYPE = 250;
    public static final int MAX_MESSAGE = 1_000;
    public static final int MAX_TRACE = 4_000;

    public TaskFailure {
        type = cut(type, MAX_TYPE);
        message = cut(message, MAX_MESSAGE);
        trace = cut(trace, MAX_TRACE);
    }

    /** The failure that an exception stands for. */
    public static TaskFailure of(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace, true));
        return new TaskFailure(
                thrown.getClass().getName(), Objects.requireNonNullElse(thrown.getMessage(), ""), trace.toString());
    }

    /** A NUL cannot be stored as text in PostgreSQL, and must not be what keeps a failure from being kept. */
    private static String cut(String text, int max) {
        String clean = text.replace('\0', ' ');
        return clean.length() <= max ? clean : clean.substring(0, max);
    }
}
