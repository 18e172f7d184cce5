package org.tasktube.console.audit;

import org.tasktube.admin.AuditAct;

/**
 * Writes the lines of the audit. Each value is quoted, and control characters are escaped, so none can end its line.
 */
public final class AuditLog {

    static final String CATEGORY = "org.tasktube.audit";

    private static final int MAX = 300;

    private AuditLog() {}

    /** Writes an act that was done or refused. */
    public static void act(AuditAct act) {
        Log.LOG.act(
                quoted(act.who()),
                act.right(),
                quoted(act.act()),
                quoted(act.tube().orElse("")),
                quoted(act.task().orElse("")),
                quoted(act.number().isPresent() ? Long.toString(act.number().getAsLong()) : ""),
                quoted(act.reason().orElse("")),
                act.status(),
                quoted(act.address().orElse("")));
    }

    /** Writes a request that was refused before it reached a resource. */
    public static void refused(String user, String method, String path, int status) {
        Log.LOG.refused(quoted(user), quoted(method), quoted(path), status);
    }

    /** Writes a login with a wrong name or password. */
    public static void loginFailed(String user, String address) {
        Log.LOG.loginFailed(quoted(user), quoted(String.valueOf(address)));
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
