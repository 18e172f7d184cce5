package org.tasktube;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The bounds of an application's values, checked when the value is set. */
final class Limits {

    static final Duration MAX_DURATION = Duration.ofDays(100 * 365L);
    static final Duration MIN_HISTORY_RETENTION = Duration.ofMinutes(1);
    static final Duration MAX_HISTORY_RETENTION = Duration.ofDays(3_650);
    static final int MAX_CAPACITY = 1_000_000;
    static final int MAX_SEARCHABLE = 8;
    static final int MAX_HEADERS = 32;
    static final int MAX_HEADER_NAME = 64;
    static final int MAX_HEADERS_SIZE = 4096;
    static final String RESERVED_HEADERS = "tasktube.";

    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9._-]{1," + MAX_HEADER_NAME + "}");

    private static final String NAME_RULE = "1 to " + MAX_HEADER_NAME + " characters of A-Z a-z 0-9 . _ -";

    /** The most characters of an application's text that a message shows. */
    private static final int MOST_SHOWN = 40;

    private Limits() {}

    static void checkPri(int pri) {
        if (pri < 0) {
            throw new IllegalArgumentException("pri " + pri + " is below 0; set 0, the highest priority, or more");
        }
    }

    static void checkDelay(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " " + value + " is negative; set PT0S or more");
        }
        checkMax(name, value);
    }

    /** Checks a ttl or ttr. With less than 1 ms, no consumer could ever take or finish the task. */
    static void checkSpan(String name, Duration value) {
        if (value.compareTo(MILLISECOND) < 0) {
            throw new IllegalArgumentException(
                    name + " " + value + " is below 1 ms; set 1 ms or more, or leave it out for no limit");
        }
        checkMax(name, value);
    }

    static void checkCapacity(int capacity) {
        if (capacity < 1 || capacity > MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "capacity " + capacity + " is out of its bounds; set 1 to " + MAX_CAPACITY);
        }
    }

    static void checkRetention(Duration retention) {
        if (retention.compareTo(MIN_HISTORY_RETENTION) < 0 || retention.compareTo(MAX_HISTORY_RETENTION) > 0) {
            throw new IllegalArgumentException("historyRetention " + retention + " is out of its bounds; set "
                    + MIN_HISTORY_RETENTION.toMinutes() + " minute to "
                    + MAX_HISTORY_RETENTION.toDays() + " days");
        }
    }

    /** Checks searchable fields. Returns them as {@link DataPath} writes them, without doubles. */
    static List<String> checkSearchable(List<String> fields, boolean isTemporary) {
        List<String> checked = fields.stream()
                .map(field -> DataPath.parse(field).toString())
                .distinct()
                .toList();
        if (checked.size() > MAX_SEARCHABLE) {
            throw new IllegalArgumentException(checked.size() + " fields are searchable, and a tube takes at most "
                    + MAX_SEARCHABLE + "; leave some out");
        }
        if (isTemporary && !checked.isEmpty()) {
            throw new IllegalArgumentException(
                    "a temporary tube takes no searchable fields such as '" + checked.get(0) + "'; leave them out");
        }
        return checked;
    }

    static void checkKey(String name, String value, int max) {
        if (value.isEmpty() || value.length() > max) {
            throw new IllegalArgumentException(name + " '" + value.substring(0, Math.min(value.length(), MOST_SHOWN))
                    + "' has " + value.length() + " characters; set 1 to " + max);
        }
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(name + " '" + value.replace("\0", "\\0")
                    + "' has a NUL character, which databases do not keep; leave it out");
        }
        utf8(name, value);
    }

    /**
     * Returns a text in UTF-8. Fails for half of a surrogate pair: it would become a question mark, and two different
     * texts the same.
     */
    static byte[] utf8(String name, String text) {
        if (hasHalfPair(text)) {
            throw new IllegalArgumentException(name + " has half of a surrogate pair in its " + text.length()
                    + " characters, which UTF-8 cannot write; leave it out, or put the text as bytes");
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static boolean hasHalfPair(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (Character.charCount(text.codePointAt(i)) == 1) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    /** Checks headers. Returns an unmodifiable copy in the same order. */
    static Map<String, String> checkHeaders(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return Map.of();
        }
        Map<String, String> copy = new LinkedHashMap<>();
        long size = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            String name = header.getKey();
            checkHeaderName(name);
            checkHeaderValue(name, header.getValue());
            copy.put(name, header.getValue());
            size += name.length() + bytes(header.getValue());
            checkHeaderCount(name, copy.size());
            checkHeadersSize(name, header.getValue(), size);
        }
        return Collections.unmodifiableMap(copy);
    }

    private static void checkHeaderName(String name) {
        if (name == null) {
            throw new IllegalArgumentException("a header has null as its name; set " + NAME_RULE);
        }
        String shown = name.substring(0, Math.min(name.length(), MOST_SHOWN)).replace("\0", "\\0");
        if (!HEADER_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "header name '" + shown + "' of " + name.length() + " characters is not allowed; set " + NAME_RULE);
        }
        if (name.startsWith(RESERVED_HEADERS)) {
            throw new IllegalArgumentException("header name '" + shown + "' begins with '" + RESERVED_HEADERS
                    + "', which is reserved for TaskTube; rename the header");
        }
    }

    private static void checkHeaderValue(String name, String value) {
        if (value == null) {
            throw new IllegalArgumentException(
                    "header '" + name + "' has null as its value; set text, or leave the header out");
        }
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("header '" + name + "' has a NUL character in its value of "
                    + bytes(value) + " bytes, which databases do not keep; leave it out");
        }
        utf8("header '" + name + "'", value);
    }

    private static void checkHeaderCount(String name, int count) {
        if (count > MAX_HEADERS) {
            throw new IllegalArgumentException("header '" + name + "' is number " + count + ", and a task has at most "
                    + MAX_HEADERS + " headers; leave some out, or put them into the data");
        }
    }

    private static void checkHeadersSize(String name, String value, long size) {
        if (size > MAX_HEADERS_SIZE) {
            throw new IllegalArgumentException("header '" + name + "' has a value of " + bytes(value)
                    + " bytes, with which the names and values of the headers have " + size + " bytes; the limit is "
                    + MAX_HEADERS_SIZE + ", so shorten the value, or put it into the data");
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void checkMax(String name, Duration value) {
        if (value.compareTo(MAX_DURATION) > 0) {
            throw new IllegalArgumentException(name + " " + value + " is over the limit of " + MAX_DURATION.toDays()
                    + " days; leave it out for no limit");
        }
    }
}
