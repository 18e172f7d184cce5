package org.tasktube;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The kind of a failure; {@link TaskFailure#of} finds it. Failures are of one kind if their exceptions have the same
 * class, and their root causes have the same class, the same first frame of the application, and the same message except
 * for its variable parts.
 *
 * <p>In the message, each variable part is replaced by the placeholder of its sort:
 *
 * <ul>
 *   <li>{@code #} for a number, date, time or IP address
 *   <li>{@code {uuid}} for a UUID
 *   <li>{@code {id}} for a hexadecimal or random id. This is {@code 0x} and digits, at least 6 hexadecimal digits and
 *       letters, at least 8 letters and digits that alternate three times, or the hash of {@code Object@1b2c3d}
 *   <li>{@code {text}} for a part in quotes, and for a word of over 200 characters. A quoted call without digits, such as
 *       {@code "Order.total()"}, stays, and so do all quoted names in the message of a NullPointerException that says
 *       what is null: they are of the code, not of the data
 *   <li>{@code {mail}} for an e-mail address
 *   <li>{@code {path}} for the path of a file, or a URL
 * </ul>
 *
 * Equal placeholders in a row, as in a list, become one. Numbers of three sorts stay, because few values of each exist.
 * These are an HTTP status after the word HTTP, status or code, an SQL state after its name, and the number of an
 * {@code ORA-} error.
 * White space and control characters become one space. Invisible characters, such as right-to-left marks, are removed.
 * Only the first 16,384 characters of a message are read.
 *
 * <p>Each part is cut to the length that the database keeps.
 *
 * @param id 16 lower-case hexadecimal digits, which are the same on all servers, JVMs and versions of TaskTube. They
 *     are the first 8 bytes of the SHA-256 of type, cause if any, frame and message, each in UTF-8 and followed by a
 *     zero byte
 * @param type the class of the exception
 * @param cause the class of its root cause; empty if the exception has no cause
 * @param frame the class and method of the first frame of the application, such as {@code shop.Orders.save}; empty if
 *     there is none
 * @param message the message of the root cause, with placeholders; empty if it has none
 */
public record Fingerprint(String id, String type, String cause, String frame, String message) implements Serializable {

    /** The kept length of the type and of the cause, in characters. */
    public static final int MAX_TYPE = 250;
    /** The kept length of the frame, in characters. */
    public static final int MAX_FRAME = 250;
    /** The kept length of the message, in characters. */
    public static final int MAX_MESSAGE = 500;

    private static final int DIGITS = 16;

    /** @throws IllegalArgumentException if the id is not 16 lower-case hexadecimal digits */
    public Fingerprint {
        if (id.length() != DIGITS || !id.equals(hex(number(id)))) {
            throw new IllegalArgumentException("the id of a fingerprint is '" + KeptText.cut(id, DIGITS + 1)
                    + "'; set 16 digits of 0 to 9 and a to f");
        }
        type = KeptText.cut(type, MAX_TYPE);
        cause = KeptText.cut(cause, MAX_TYPE);
        frame = KeptText.cut(frame, MAX_FRAME);
        message = KeptText.cut(message, MAX_MESSAGE);
    }

    /**
     * Returns the kind of a failure.
     *
     * @param cause the class of the root cause; empty if there is none
     * @param message the message of the root cause, with its variable parts
     */
    public static Fingerprint of(String type, String cause, String frame, String message) {
        String keptType = KeptText.cut(type, MAX_TYPE);
        String keptCause = KeptText.cut(cause, MAX_TYPE);
        String keptFrame = KeptText.cut(frame, MAX_FRAME);
        String pattern = KeptText.cut(MessagePattern.of(message, MAX_MESSAGE, isOfNull(type, cause)), MAX_MESSAGE);
        long number = keptCause.isEmpty()
                ? hash(keptType, keptFrame, pattern)
                : hash(keptType, keptCause, keptFrame, pattern);
        return new Fingerprint(hex(number), keptType, keptCause, keptFrame, pattern);
    }

    private static boolean isOfNull(String type, String cause) {
        return (cause.isEmpty() ? type : cause).equals(NullPointerException.class.getName());
    }

    /** Returns the id as a number, as the database keeps it. */
    public long number() {
        return number(id);
    }

    /** Returns the id of a number that the database keeps. */
    public static String hex(long number) {
        return HexFormat.of().toHexDigits(number);
    }

    private static long number(String id) {
        try {
            return HexFormat.fromHexDigitsToLong(id);
        } catch (IllegalArgumentException e) {
            return 0;
        }
    }

    private static long hash(String... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String part : parts) {
                digest.update(part.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
            }
            return ByteBuffer.wrap(digest.digest()).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("the JVM has no SHA-256, which each JVM must have", e);
        }
    }
}
