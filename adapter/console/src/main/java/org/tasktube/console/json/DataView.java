package org.tasktube.console.json;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.tasktube.TaskData;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The data of a task as the console shows it.
 *
 * @param type the content type
 * @param size the size of the whole data, in bytes
 * @param text the data as text; null if it is not UTF-8, or hidden as a whole
 * @param hex the data in hexadecimal; null if it is text, or hidden
 * @param truncated true if the data has more than is shown; {@code tasks/{tube}/{id}/data} has all of it
 * @param masked true if values of secret names are hidden, or all of the data because it is no JSON
 */
public record DataView(String type, int size, String text, String hex, boolean truncated, boolean masked) {

    /** The most characters of text. */
    static final int MAX_TEXT = 256 * 1024;
    /** The most bytes in hexadecimal. */
    static final int MAX_HEX = 16 * 1024;
    /** The most characters of the beginning of data. */
    static final int MAX_LINE = 80;

    /** The bytes of the longest character in UTF-8. */
    private static final int MOST_OF_CHARACTER = 4;

    /**
     * Returns data as a user sees it.
     *
     * @param sees true if the user sees values of secret names
     */
    public static DataView of(TaskData data, boolean sees) {
        byte[] bytes = data.bytes();
        if (sees) {
            return decoded(bytes)
                    .map(text -> ofText(data, text, false))
                    .orElseGet(() -> new DataView(
                            data.contentType(),
                            bytes.length,
                            null,
                            HexFormat.of().formatHex(Arrays.copyOf(bytes, Math.min(bytes.length, MAX_HEX))),
                            bytes.length > MAX_HEX,
                            false));
        }
        try {
            String text = decoded(bytes).orElse("");
            Optional<String> hidden = Secrets.hide(text);
            return ofText(data, hidden.orElse(text), hidden.isPresent());
        } catch (Secrets.NotJsonException e) {
            return new DataView(data.contentType(), bytes.length, null, null, false, true);
        }
    }

    /**
     * Returns the beginning of data in one line; null if it is no text, or could have a hidden value.
     *
     * @param beginning the first bytes, which can be all of them
     * @param size the size of the whole data, in bytes
     */
    public static String line(TaskData beginning, long size, boolean sees) {
        boolean isWhole = beginning.size() == size;
        byte[] bytes = beginning.bytes();
        Optional<String> text = decoded(bytes);
        for (int cut = 1; text.isEmpty() && !isWhole && cut < MOST_OF_CHARACTER; cut++) {
            text = decoded(Arrays.copyOf(bytes, Math.max(0, bytes.length - cut)));
        }
        if (text.isEmpty() || sees) {
            return text.map(DataView::line).orElse(null);
        }
        try {
            // What is cut is no JSON, so that its names cannot be found
            return isWhole ? line(Secrets.hide(text.get()).orElse(text.get())) : null;
        } catch (Secrets.NotJsonException e) {
            return null;
        }
    }

    private static String line(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= MAX_LINE ? line : cut(line, MAX_LINE);
    }

    /**
     * Returns the bytes as a user sees them who does not see values of secret names.
     *
     * @throws Secrets.NotJsonException if no part of them can be shown
     */
    public static byte[] masked(byte[] bytes) throws Secrets.NotJsonException {
        return Secrets.hide(decoded(bytes).orElse(""))
                .map(text -> text.getBytes(UTF_8))
                .orElse(bytes);
    }

    private static DataView ofText(TaskData data, String text, boolean masked) {
        boolean longer = text.length() > MAX_TEXT;
        return new DataView(data.contentType(), data.size(), longer ? cut(text, MAX_TEXT) : text, null, longer, masked);
    }

    private static String cut(String text, int most) {
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }

    /** Returns UTF-8 as text; a NUL is a sign of other bytes. */
    private static Optional<String> decoded(byte[] bytes) {
        try {
            CharBuffer text = UTF_8.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes));
            return text.chars().anyMatch(c -> c == 0) ? Optional.empty() : Optional.of(text.toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
