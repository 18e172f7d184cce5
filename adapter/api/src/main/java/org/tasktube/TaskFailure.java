package org.tasktube;

import java.io.Serializable;
import java.util.List;

/**
 * The reason of a bean's failed delivery. Each part is cut to the length that the database keeps.
 *
 * @param type the class of the exception
 * @param message the exception's message; empty if it has none
 * @param trace the chain of causes, one per line, and then the frames of the application, those of the root cause
 *     first. The server's frames are only counted
 * @param fingerprint the kind of the failure
 */
public record TaskFailure(String type, String message, String trace, Fingerprint fingerprint) implements Serializable {

    /** The kept length of the type, in characters. */
    public static final int MAX_TYPE = 250;
    /** The kept length of the message, in characters. */
    public static final int MAX_MESSAGE = 1_000;
    /** The kept length of the trace, in characters. */
    public static final int MAX_TRACE = 4_000;

    private static final int MAX_SUMMARY = 1_000;
    private static final int MAX_DESCRIPTION = 100_000;

    public TaskFailure {
        type = KeptText.cut(type, MAX_TYPE);
        message = KeptText.cut(message, MAX_MESSAGE);
        trace = KeptText.cut(trace, MAX_TRACE);
    }

    /** Creates a failure whose kind is known by its own class and message only, without a frame. */
    public TaskFailure(String type, String message, String trace) {
        this(type, message, trace, Fingerprint.of(type, "", "", message));
    }

    /** Returns the failure of an exception. Never throws, even if the exception's own methods do. */
    public static TaskFailure of(Throwable thrown) {
        Description description = new Description(thrown);
        return new TaskFailure(
                thrown.getClass().getName(),
                description.message(),
                description.text(MAX_TRACE),
                description.fingerprint());
    }

    /** Returns one line that names an exception and its root cause. Never throws. */
    public static String summary(Throwable thrown) {
        return KeptText.cut(new Description(thrown).line(MAX_SUMMARY), MAX_SUMMARY);
    }

    /** Returns an exception, its causes and their frames as text, longer than {@link #trace()}. Never throws. */
    public static String describe(Throwable thrown) {
        return KeptText.cut(new Description(thrown).text(MAX_DESCRIPTION), MAX_DESCRIPTION);
    }

    /** Returns an exception and its causes, outermost first, each once, at most 50. Never throws. */
    public static List<Throwable> causes(Throwable thrown) {
        return Description.causes(thrown);
    }
}
