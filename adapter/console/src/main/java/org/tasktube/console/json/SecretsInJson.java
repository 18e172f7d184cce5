package org.tasktube.console.json;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tasktube.console.json.Secrets.NotJsonException;

/**
 * Reads JSON by its grammar, and hides the values of secret names in it. All other characters stay as they are: each
 * digit of a number, and any depth. Hidden are the members of secret names, and the values of pairs such as
 * {@code {"name":"password","value":"x"}} and {@code ["Cookie","x"]}. Texts with a secret word in them are hidden too:
 * they may be JSON, a form or XML again.
 */
final class SecretsInJson {

    private static final String HIDDEN = '"' + Secrets.HIDDEN + '"';

    private static final Pattern LITERAL = Pattern.compile("true|false|null|-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");

    /** The members of a pair that have its name. */
    private static final Set<String> NAMES =
            Set.of("name", "key", "k", "field", "header", "parameter", "param", "property", "id", "label", "type");

    /** A text that is only a name, and so no secret itself. */
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_.-]{1,64}");

    private final String text;
    private final StringBuilder out = new StringBuilder();
    private final Deque<Level> levels = new ArrayDeque<>();
    private int at;
    private boolean hid;

    SecretsInJson(String text) {
        this.text = text;
    }

    /** An object or array that is being read. */
    private static final class Level {

        private final boolean isObject;

        /** The name of the present member; in an array the element before, if that is only a name. */
        private String name = "";

        private int valueBegin;

        /** True if the object has the secret name of a pair. */
        private boolean isSecretPair;

        /** The begin of the first value of a pair in the output; below 0 without one. */
        private int firstValueOfPair = -1;

        private int endOfValuesOfPair;

        Level(boolean isObject) {
            this.isObject = isObject;
        }
    }

    /** Returns the text with hidden values; empty if it has no value to hide. */
    Optional<String> hidden() throws NotJsonException {
        copySpace();
        begin();
        while (!levels.isEmpty()) {
            next();
        }
        copySpace();
        require(at == text.length());
        return hid ? Optional.of(out.toString()) : Optional.empty();
    }

    /** Reads on in the present object or array: its next value, or its end. */
    private void next() throws NotJsonException {
        Level level = levels.getFirst();
        copySpace();
        if (isAt(level.isObject ? '}' : ']')) {
            copy();
            close();
            return;
        }
        if (level.isObject) {
            String name = string();
            level.name = name;
            copySpace();
            require(isAt(':'));
            copy();
            copySpace();
        }
        level.valueBegin = out.length();
        begin();
    }

    /** Reads a value, or the begin of an object or array. */
    private void begin() throws NotJsonException {
        require(at < text.length());
        switch (text.charAt(at)) {
            case '{', '[' -> {
                levels.push(new Level(text.charAt(at) == '{'));
                copy();
            }
            case '"' -> {
                String value = string();
                ended(Optional.of(value));
            }
            default -> {
                Matcher literal = LITERAL.matcher(text).region(at, text.length());
                require(literal.lookingAt());
                out.append(literal.group());
                at = literal.end();
                ended(Optional.empty());
            }
        }
    }

    private void close() throws NotJsonException {
        Level closed = levels.pop();
        if (closed.isSecretPair && closed.firstValueOfPair >= 0) {
            // With all that is between, if there are several: one by one would move the rest again each time
            hide(closed.firstValueOfPair, closed.endOfValuesOfPair);
        }
        ended(Optional.empty());
    }

    /** Hides the value that has just been read if it must be, and reads the comma behind it. */
    private void ended(Optional<String> string) throws NotJsonException {
        if (levels.isEmpty()) {
            string.filter(SecretsInJson::hasSecrets).ifPresent(value -> hide(0, out.length()));
            return;
        }
        Level level = levels.getFirst();
        boolean isSecret = Secrets.isSecret(level.name)
                || string.filter(SecretsInJson::hasSecrets).isPresent();
        if (isSecret) {
            hide(level.valueBegin, out.length());
        }
        if (level.isObject) {
            noteMember(level, string);
        } else {
            level.name = string.filter(value -> !isSecret && isName(value)).orElse("");
        }
        copySpace();
        boolean more = isAt(',');
        if (more) {
            copy();
            copySpace();
            require(!isAt('}') && !isAt(']'));
        } else {
            require(isAt(level.isObject ? '}' : ']'));
        }
    }

    private void noteMember(Level level, Optional<String> string) {
        if (Secrets.isValueOfPair(level.name)) {
            level.firstValueOfPair = level.firstValueOfPair < 0 ? level.valueBegin : level.firstValueOfPair;
            level.endOfValuesOfPair = out.length();
        }
        level.isSecretPair |= NAMES.contains(level.name.toLowerCase(Locale.ROOT))
                && string.filter(Secrets::isSecret).isPresent();
    }

    /** Returns whether a text has a secret word in it, and is more than that name. */
    static boolean hasSecrets(String value) {
        return !isName(value) && Secrets.isSecret(value);
    }

    private static boolean isName(String value) {
        return NAME.matcher(value).matches();
    }

    private void hide(int begin, int end) {
        out.replace(begin, end, HIDDEN);
        hid = true;
    }

    /** Copies a string, and returns it without its escapes, behind which a name may hide. */
    private String string() throws NotJsonException {
        require(isAt('"'));
        int start = at;
        StringBuilder plain = new StringBuilder();
        at++;
        while (!isAt('"')) {
            require(at < text.length() && text.charAt(at) >= ' ');
            plain.append(text.charAt(at) == '\\' ? escaped() : text.charAt(at));
            at++;
        }
        at++;
        out.append(text, start, at);
        return plain.toString();
    }

    /** Returns the character of an escape, and moves to its last one. */
    private char escaped() throws NotJsonException {
        at++;
        require(at < text.length());
        char c = text.charAt(at);
        if (c == 'u') {
            require(at + 4 < text.length());
            String hex = text.substring(at + 1, at + 5);
            require(hex.chars().allMatch(digit -> Character.digit(digit, 16) >= 0));
            at += 4;
            return (char) Integer.parseInt(hex, 16);
        }
        int known = "\"\\/bfnrt".indexOf(c);
        require(known >= 0);
        return "\"\\/\b\f\n\r\t".charAt(known);
    }

    private boolean isAt(char expected) {
        return at < text.length() && text.charAt(at) == expected;
    }

    private void copy() {
        out.append(text.charAt(at++));
    }

    private void copySpace() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            copy();
        }
    }

    private void require(boolean is) throws NotJsonException {
        if (!is) {
            throw new NotJsonException(at);
        }
    }
}
