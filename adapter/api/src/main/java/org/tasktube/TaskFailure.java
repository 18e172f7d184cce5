package org.tasktube;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Why a delivery to a bean failed; each part is cut to what the database keeps.
 *
 * @param type the class of the exception
 * @param message its message, empty if it had none
 * @param trace the chain of causes, a line each, and then the frames of the application, those of the root cause first;
 *     frames of the server are counted only
 */
public record TaskFailure(String type, String message, String trace) implements Serializable {

    public static final int MAX_TYPE = 250;
    public static final int MAX_MESSAGE = 1_000;
    public static final int MAX_TRACE = 4_000;

    private static final int MAX_SUMMARY = 1_000;
    private static final int MAX_DESCRIPTION = 100_000;

    public TaskFailure {
        type = cut(type, MAX_TYPE);
        message = cut(message, MAX_MESSAGE);
        trace = cut(trace, MAX_TRACE);
    }

    /** Returns the failure that an exception stands for. Never throws, whatever the exception's own methods do. */
    public static TaskFailure of(Throwable thrown) {
        Description description = new Description(thrown);
        return new TaskFailure(thrown.getClass().getName(), description.message(), description.text(MAX_TRACE));
    }

    /** Returns one line that names an exception and its root cause. Never throws. */
    public static String summary(Throwable thrown) {
        return cut(new Description(thrown).line(MAX_SUMMARY), MAX_SUMMARY);
    }

    /** Returns an exception, its causes and their frames as a text, longer than a failure keeps it. Never throws. */
    public static String describe(Throwable thrown) {
        return cut(new Description(thrown).text(MAX_DESCRIPTION), MAX_DESCRIPTION);
    }

    /** Returns an exception and its causes, outermost first, each once, up to 50. Never throws. */
    public static List<Throwable> causes(Throwable thrown) {
        return Description.causes(thrown);
    }

    /** A text that a database refuses, by a NUL or half a character, must not keep a failure from being kept. */
    private static String cut(String text, int max) {
        String fitting = text.length() <= max ? text : text.substring(0, max);
        byte[] encoded = fitting.replace('\0', ' ').getBytes(StandardCharsets.UTF_8);
        return new String(encoded, StandardCharsets.UTF_8);
    }
}
