package org.tasktube.console.json;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.tasktube.admin.FilterCondition;
import org.tasktube.admin.FilterField;
import org.tasktube.admin.TaskFilter;

/**
 * Hides values of secret names from users who must not see them. The text is scanned, not parsed, so all other
 * characters stay as they are: each digit of a number, text that is no JSON, and any depth.
 */
public final class Secrets {

    /** Stands for a hidden value. */
    public static final String HIDDEN = "•••• hidden";

    private static final List<String> WORDS = List.of("password", "secret", "token", "card", "iban", "authorization");

    private final String text;
    private final StringBuilder out = new StringBuilder();
    private int at;
    private boolean hid;

    private Secrets(String text) {
        this.text = text;
    }

    /** Returns whether values of this name are hidden; case does not count. */
    public static boolean isSecret(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return WORDS.stream().anyMatch(lower::contains);
    }

    /** Returns whether a condition could find out a hidden value. */
    public static boolean areReadBy(FilterCondition condition) {
        return condition.field() == FilterField.DATA
                && (condition.path().isEmpty() || condition.path().stream().anyMatch(Secrets::isSecret));
    }

    /** Returns the text of a filter, in which the values of secret names are hidden. */
    public static String hide(TaskFilter filter) {
        return filter.conditions().stream()
                .map(condition -> areReadBy(condition) ? hide(condition) : condition)
                .map(FilterCondition::toString)
                .collect(Collectors.joining(" "));
    }

    private static FilterCondition hide(FilterCondition condition) {
        return new FilterCondition(
                condition.field(), condition.path(), condition.comparison(), List.of(HIDDEN), condition.negated());
    }

    /** Returns the text with hidden values; empty if it has no value to hide. */
    public static Optional<String> hide(String text) {
        Secrets secrets = new Secrets(text);
        secrets.run();
        return secrets.hid ? Optional.of(secrets.out.toString()) : Optional.empty();
    }

    /** Returns texts by their names with hidden values. */
    public static Map<String, String> hide(Map<String, String> texts) {
        Map<String, String> shown = new LinkedHashMap<>();
        texts.forEach((name, value) -> shown.put(name, isSecret(name) ? HIDDEN : value));
        return shown;
    }

    private void run() {
        while (at < text.length()) {
            if (text.charAt(at) == '"') {
                stringOrMember();
            } else {
                out.append(text.charAt(at++));
            }
        }
    }

    private void stringOrMember() {
        int start = at;
        skipString();
        int end = at;
        skipSpace();
        boolean member = at < text.length() && text.charAt(at) == ':';
        if (member && isSecret(unescaped(text.substring(start, end)))) {
            at++;
            skipSpace();
            out.append(text, start, at).append('"').append(HIDDEN).append('"');
            skipValue();
            hid = true;
        } else {
            at = end;
            out.append(text, start, end);
        }
    }

    /** Moves behind a value. The white space that follows it stays. */
    private void skipValue() {
        int start = at;
        for (int depth = 0; at < text.length(); ) {
            char c = text.charAt(at);
            depth += depthOf(c);
            if (depth < 0 || (depth == 0 && c == ',')) {
                break;
            }
            if (c == '"') {
                skipString();
            } else {
                at++;
            }
        }
        while (at > start && Character.isWhitespace(text.charAt(at - 1))) {
            at--;
        }
    }

    private static int depthOf(char c) {
        return switch (c) {
            case '{', '[' -> 1;
            case '}', ']' -> -1;
            default -> 0;
        };
    }

    /** Moves behind a string; the text may end in it. */
    private void skipString() {
        at++;
        while (at < text.length() && text.charAt(at) != '"') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        at = Math.min(at + 1, text.length());
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    /** A name may be written with escapes, so that it does not look like itself. */
    private static String unescaped(String string) {
        if (string.indexOf('\\') < 0) {
            return string;
        }
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '\\' && i + 5 < string.length() && string.charAt(i + 1) == 'u') {
                plain.append(codeUnit(string.substring(i + 2, i + 6)));
                i += 5;
            } else if (c != '\\') {
                plain.append(c);
            }
        }
        return plain.toString();
    }

    private static String codeUnit(String hex) {
        try {
            return Character.toString((char) Integer.parseInt(hex, 16));
        } catch (NumberFormatException e) {
            return hex;
        }
    }
}
