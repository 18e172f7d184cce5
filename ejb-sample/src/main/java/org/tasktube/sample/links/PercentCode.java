package org.tasktube.sample.links;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Percent encoding as in browsers: characters that an address cannot have are encoded, and encoded ones stay. */
final class PercentCode {

    private static final String ALLOWED = "-._~!$&'()*+,;=:@/?";

    private PercentCode() {}

    static String encode(String text) {
        StringBuilder result = new StringBuilder(text.length());
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            char c = (char) (bytes[i] & 0xff);
            if (isAllowed(c) || isEncoded(bytes, i)) {
                result.append(c);
            } else {
                result.append('%').append(hex(c >> 4)).append(hex(c & 15));
            }
        }
        return result.toString();
    }

    /** Returns the decoded text. Wrong encodings stay as they are. */
    static String decode(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream result = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (isEncoded(bytes, i)) {
                result.write((Character.digit(bytes[i + 1], 16) << 4) | Character.digit(bytes[i + 2], 16));
                i += 2;
            } else {
                result.write(bytes[i]);
            }
        }
        return result.toString(StandardCharsets.UTF_8);
    }

    private static boolean isAllowed(char c) {
        return (c < 128 && Character.isLetterOrDigit(c)) || ALLOWED.indexOf(c) >= 0;
    }

    private static boolean isEncoded(byte[] bytes, int i) {
        return bytes[i] == '%' && isHex(bytes, i + 1) && isHex(bytes, i + 2);
    }

    private static boolean isHex(byte[] bytes, int i) {
        return i < bytes.length && Character.digit(bytes[i], 16) >= 0;
    }

    private static char hex(int digit) {
        return Character.toUpperCase(Character.forDigit(digit, 16));
    }
}
