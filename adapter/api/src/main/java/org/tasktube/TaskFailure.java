package org.tasktube;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The reason of a bean's failed delivery. Each part is cut to the length that the database keeps.
 *
 * @param type the class of the exception
 * @param message the exception's message; empty if it has none
 * @param trace the chain of causes, one per line, and then the frames of the application, those of the root cause
 *     first. The server's frames are only counted
 */
public record TaskFailure(String type, String message, String trace) implements Serializable {

    /** The kept length of the type, in characters. */
    public static final int MAX_TYPE = 250;
    /** The kept length of the message, in characters. */
    public static final int MAX_MESSAGE = 1_000;
    /** The kept length of the trace, in characters. */
    public static final int MAX_TRACE = 4_000;

    private static final int MAX_SUMMARY = 1_000;
    private static final int MAX_DESCRIPTION = 100_000;

    public TaskFailure {
        type = cut(type, MAX_TYPE);
        message = cut(message, MAX_MESSAGE);
        trace = cut(trace, MAX_TRACE);
    }

    /** Returns the failure of an exception. Never throws, even if the exception's own methods do. */
    public static TaskFailure of(Throwable thrown) {
        Description description = new Description(thrown);
        return new TaskFailure(thrown.getClass().getName(), description.message(), description.text(MAX_TRACE));
    }

    /** Returns one line that names an exception and its root cause. Never throws. */
    public static String summary(Throwable thrown) {
        return cut(new Description(thrown).line(MAX_SUMMARY), MAX_SUMMARY);
    }

    /** Returns an exception, its causes and their frames as text, longer than {@link #trace()}. Never throws. */
    public static String describe(Throwable thrown) {
        return cut(new Description(thrown).text(MAX_DESCRIPTION), MAX_DESCRIPTION);
    }

    /** Returns an exception and its causes, outermost first, each once, at most 50. Never throws. */
    public static List<Throwable> causes(Throwable thrown) {
        return Description.causes(thrown);
    }

    /**
     * Cuts a text, and replaces NUL and half characters: a database would refuse them, and the failure would be lost.
     */
    private static String cut(String text, int max) {
        String fitting = text.length() <= max ? text : text.substring(0, max);
        byte[] encoded = fitting.replace('\0', ' ').getBytes(StandardCharsets.UTF_8);
        return new String(encoded, StandardCharsets.UTF_8);
    }
}
