package org.tasktube.console.audit;

import org.tasktube.console.problem.Kind;

/** Writes the lines of the audit. Each value is quoted, and control characters are escaped, so none can end its line. */
public final class AuditLog {

    static final String CATEGORY = "org.tasktube.audit";

    private static final int MAX = 300;

    private AuditLog() {}

    /**
     * Writes an act that was done or refused.
     *
     * @param right the right that the act needs
     * @param answer the status of the answer
     */
    public static void act(String user, String right, String act, Audit noted, int answer) {
        Log.LOG.act(
                quoted(user),
                right,
                quoted(act),
                quoted(noted.tube()),
                quoted(noted.task()),
                quoted(noted.number()),
                quoted(noted.reason()),
                answer);
    }

    /** Writes a request that was refused before it reached a resource. */
    public static void refused(String user, String method, String path, Kind kind) {
        Log.LOG.refused(quoted(user), quoted(method), quoted(path), kind.status());
    }

    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().limit(MAX).forEach(point -> append(quoted, point));
        return quoted.append('"').toString();
    }

    private static void append(StringBuilder quoted, int point) {
        if (point == '"' || point == '\\') {
            quoted.append('\\').appendCodePoint(point);
        } else if (isShown(point)) {
            quoted.appendCodePoint(point);
        } else {
            quoted.append(String.format("\\u{%x}", point));
        }
    }

    /** Line ends, control characters and marks that turn the direction of the text are not shown as they are. */
    private static boolean isShown(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE -> false;
            default -> true;
        };
    }
}
