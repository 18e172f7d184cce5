package org.tasktube;

import java.util.Locale;

/**
 * Replaces the variable parts of a message by placeholders, as {@link Fingerprint} describes. Reads a bounded part of
 * the message, and each character of it a bounded number of times. A regular expression could take very long for a
 * message that was made for that.
 */
final class MessagePattern {

    private static final int MOST_READ = 16_384;
    private static final int LONG_WORD = 200;

    private static final String NUMBER = "#";
    private static final String UUID = "{uuid}";
    private static final String ID = "{id}";
    private static final String TEXT = "{text}";
    private static final String MAIL = "{mail}";
    private static final String PATH = "{path}";

    /** The quotes that begin a part, and at the same place those that end it. */
    private static final String OPENING = "\"'`\u00ab\u00bb\u201c\u201e\u2018";

    private static final String CLOSING = "\"'`\u00bb\u00ab\u201d\u201c\u2019";

    /** An apostrophe is part of a word. */
    private static final String BREAKS = " ()[]{}<>,;=|" + OPENING.replace("'", "") + "\u201d";

    private static final String BREAKS_OF_URL = " <>\"'`";
    /** The marks in the names of code, besides the parts of identifiers. */
    private static final String NAME_MARKS = ".()[]<>, ";

    private static final String PUNCTUATION = ".:!?'";
    private static final String BETWEEN_EQUALS = " ,;";

    private final String in;
    private final int most;
    private final StringBuilder out = new StringBuilder();

    /** The quotes that nothing closes from here on. Without this, each of many would be searched to the end. */
    private final boolean[] unclosed = new boolean[OPENING.length()];

    /** Whether the message is the JVM's about a null, in which all quoted parts are names of the code. */
    private final boolean isAboutNull;

    /** The last word without digits, in lower case. */
    private String word = "";

    private MessagePattern(String in, int most, boolean isOfNull) {
        this.in = in;
        this.most = most;
        isAboutNull = isOfNull && in.startsWith("Cannot ") && in.endsWith(" is null");
    }

    /**
     * Returns the pattern of a message, of about {@code most} characters at most.
     *
     * @param isOfNull true if a NullPointerException has it
     */
    static String of(String message, int most, boolean isOfNull) {
        return new MessagePattern(clean(message), most, isOfNull).replaced();
    }

    /** Returns the beginning of a message without invisible characters, and with one space for any white space. */
    private static String clean(String message) {
        StringBuilder clean = new StringBuilder();
        for (int i = 0; i < Math.min(message.length(), MOST_READ); i++) {
            char c = message.charAt(i);
            if (Character.isWhitespace(c) || Character.isSpaceChar(c) || Character.isISOControl(c)) {
                if (clean.length() > 0 && clean.charAt(clean.length() - 1) != ' ') {
                    clean.append(' ');
                }
            } else if (Character.getType(c) != Character.FORMAT) {
                clean.append(c);
            }
        }
        return clean.toString().strip();
    }

    private String replaced() {
        int at = 0;
        while (at < in.length() && out.length() < most) {
            at = step(at);
        }
        return out.toString();
    }

    /** Reads one part of the message. Returns where the next one begins. */
    private int step(int at) {
        int close = closing(at);
        if (close > 0) {
            if (isOfCode(at, close)) {
                out.append(in, at, close + 1);
            } else {
                replace(TEXT);
            }
            return close + 1;
        }
        char c = in.charAt(at);
        if (BREAKS.indexOf(c) >= 0) {
            out.append(c);
            return at + 1;
        }
        return token(at);
    }

    /** Adds a placeholder, unless the same one precedes it. */
    private void replace(String placeholder) {
        int end = out.length();
        while (end > 0 && BETWEEN_EQUALS.indexOf(out.charAt(end - 1)) >= 0) {
            end--;
        }
        if (end >= placeholder.length()
                && out.substring(end - placeholder.length(), end).equals(placeholder)) {
            out.setLength(end);
        } else {
            out.append(placeholder);
        }
    }

    // Quotes

    /** Returns where the quoted part ends that begins here; 0 if none begins here. */
    private int closing(int at) {
        int kind = OPENING.indexOf(in.charAt(at));
        if (kind < 0 || unclosed[kind] || isApostrophe(at)) {
            return 0;
        }
        for (int i = at + 1; i < in.length(); i++) {
            if (in.charAt(i) == '\\' && in.charAt(at) == '"') {
                i++;
            } else if (in.charAt(i) == CLOSING.charAt(kind) && !(in.charAt(i) == '\'' && isInWord(i + 1))) {
                return i;
            }
        }
        unclosed[kind] = true;
        return 0;
    }

    /** Returns whether a quoted part names code: a call, or anything that the JVM names in its message about a null. */
    private boolean isOfCode(int at, int close) {
        int length = close - at - 1;
        if (in.charAt(at) != '"' || length == 0 || length > LONG_WORD) {
            return false;
        }
        boolean isCall = in.charAt(close - 1) == ')' && Character.isJavaIdentifierStart(in.charAt(at + 1));
        for (int i = at + 1; i < close; i++) {
            char c = in.charAt(i);
            if (!Character.isJavaIdentifierPart(c) && NAME_MARKS.indexOf(c) < 0) {
                return false;
            }
            isCall &= c == ' ' ? in.charAt(i - 1) == ',' : !Character.isDigit(c);
        }
        return isAboutNull || (isCall && in.substring(at, close).indexOf('(') > 1);
    }

    private boolean isApostrophe(int at) {
        return in.charAt(at) == '\'' && isInWord(at - 1);
    }

    private boolean isInWord(int at) {
        return at >= 0 && at < in.length() && Character.isLetterOrDigit(in.charAt(at));
    }

    private boolean isDigit(int at) {
        return at >= 0 && at < in.length() && Character.isDigit(in.charAt(at));
    }

    // Tokens: the parts between blanks, brackets, quotes and commas

    private int token(int at) {
        int stop = endOf(at, BREAKS);
        if (in.substring(at, stop).contains("://")) {
            stop = endOf(at, BREAKS_OF_URL);
        }
        int end = stop;
        while (end > at && (PUNCTUATION + ")],").indexOf(in.charAt(end - 1)) >= 0) {
            end--;
        }
        if (end == at) {
            out.append(in, at, Math.min(stop, at + most));
            return stop;
        }
        String token = in.substring(at, end);
        if (token.contains("://") || isPath(token)) {
            replace(PATH);
        } else if (isMail(token)) {
            replace(MAIL);
        } else if (token.length() > LONG_WORD) {
            replace(TEXT);
        } else {
            return words(at, end);
        }
        return end;
    }

    private int endOf(int at, String breaks) {
        int end = at;
        while (end < in.length() && breaks.indexOf(in.charAt(end)) < 0) {
            end++;
        }
        return end;
    }

    private static boolean isPath(String token) {
        return (token.length() > 1 && token.charAt(0) == '/' && Character.isLetterOrDigit(token.charAt(1)))
                || token.startsWith("./")
                || token.startsWith("../")
                || token.startsWith("~/")
                || isOfWindows(token)
                || isFile(token);
    }

    private static boolean isOfWindows(String token) {
        boolean hasDrive = token.length() > 2
                && Character.isLetter(token.charAt(0))
                && token.charAt(1) == ':'
                && "\\/".indexOf(token.charAt(2)) >= 0;
        return hasDrive || token.startsWith("\\\\");
    }

    /** Returns whether it is a relative path to a file that has an extension. A type of content has none. */
    private static boolean isFile(String token) {
        int slash = Math.max(token.lastIndexOf('/'), token.lastIndexOf('\\'));
        int dot = token.lastIndexOf('.');
        int extension = token.length() - dot - 1;
        return slash > 0
                && dot > slash + 1
                && token.indexOf('.', slash) == dot
                && extension > 0
                && extension <= 5
                && Character.isLowerCase(token.charAt(dot + 1));
    }

    private static boolean isMail(String token) {
        int at = token.indexOf('@');
        if (at < 1 || at == token.length() - 1 || isIdentity(token.substring(at + 1))) {
            return false;
        }
        return token.chars()
                .skip(at + 1L)
                .allMatch(c -> Character.isLetterOrDigit(c) || c == '.' || c == '-' || c == '_');
    }

    /** Returns whether it is the hash in the text of an object that has no text of its own. */
    private static boolean isIdentity(String text) {
        return text.length() <= 16 && !text.isEmpty() && text.chars().allMatch(MessagePattern::isHex);
    }

    private static boolean isHex(int c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }

    // Words: the letters and digits of a token

    /**
     * Copies a token, with placeholders for its numbers and ids. Returns where it ends, or a number that exceeds it.
     */
    private int words(int from, int end) {
        int at = from;
        while (at < end) {
            char c = in.charAt(at);
            if (Character.isLetterOrDigit(c)) {
                at = run(at);
            } else if (c == '@' && isIdentity(in.substring(at + 1, end))) {
                out.append('@');
                replace(ID);
                at = end;
            } else {
                if (at > from || (c != '-' && c != '+') || !isDigit(at + 1)) {
                    out.append(c);
                }
                at++;
            }
        }
        return at;
    }

    private int run(int at) {
        if (isUuid(at)) {
            replace(UUID);
            return at + 36;
        }
        int end = at;
        while (isInWord(end)) {
            end++;
        }
        String run = in.substring(at, end);
        if (isCode(run, at)) {
            out.append(run);
            return end;
        }
        if (isId(run)) {
            replace(ID);
            return end;
        }
        return copy(at, end);
    }

    private boolean isUuid(int at) {
        if (at + 36 > in.length() || isInWord(at + 36)) {
            return false;
        }
        for (int i = 0; i < 36; i++) {
            boolean isDash = i == 8 || i == 13 || i == 18 || i == 23;
            char c = in.charAt(at + i);
            if (isDash ? c != '-' : !isHex(c)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether it is a number with few values, which says what has failed. */
    private boolean isCode(String run, int at) {
        boolean isNumber = run.chars().allMatch(c -> c >= '0' && c <= '9');
        return switch (run.length()) {
            case 3 ->
                isNumber
                        && run.charAt(0) >= '1'
                        && run.charAt(0) <= '5'
                        && (word.equals("http") || word.endsWith("status") || word.endsWith("code"));
            case 5 ->
                (word.endsWith("state") && run.chars().allMatch(MessagePattern::isOfSqlState))
                        || (isNumber && word.equals("ora") && at > 0 && in.charAt(at - 1) == '-');
            default -> false;
        };
    }

    private static boolean isOfSqlState(int c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isId(String run) {
        int changes = 0;
        boolean isHex = true;
        for (int i = 0; i < run.length(); i++) {
            char c = run.charAt(i);
            if (c > 'z') {
                return false;
            }
            isHex &= isHex(c);
            changes += i > 0 && Character.isLetter(c) != Character.isLetter(run.charAt(i - 1)) ? 1 : 0;
        }
        boolean isMixed = changes > 0;
        return (isMixed && isHex && run.length() >= 6)
                || (changes >= 3 && run.length() >= 8)
                || (run.length() > 2
                        && run.startsWith("0x")
                        && run.chars().skip(2).allMatch(MessagePattern::isHex));
    }

    private int copy(int from, int end) {
        int at = from;
        while (at < end) {
            if (isDigit(at)) {
                replace(NUMBER);
                at = endOfNumber(at);
            } else {
                int start = at;
                while (at < end && !isDigit(at)) {
                    at++;
                }
                String letters = in.substring(start, at);
                out.append(letters);
                word = letters.toLowerCase(Locale.ROOT);
            }
        }
        return at;
    }

    /** Returns where a number ends, with its fraction and exponent; so do dates, times and IP addresses. */
    private int endOfNumber(int from) {
        int at = endOfDigits(from);
        while (at < in.length() && ".,:/-".indexOf(in.charAt(at)) >= 0 && isDigit(at + 1)) {
            at = endOfDigits(at + 1);
        }
        if (at < in.length() && (in.charAt(at) == 'e' || in.charAt(at) == 'E')) {
            boolean isSigned = at + 1 < in.length() && "+-".indexOf(in.charAt(at + 1)) >= 0;
            int exponent = isSigned ? at + 2 : at + 1;
            at = isDigit(exponent) ? endOfDigits(exponent) : at;
        }
        return at;
    }

    private int endOfDigits(int from) {
        int at = from;
        while (isDigit(at)) {
            at++;
        }
        return at;
    }
}
