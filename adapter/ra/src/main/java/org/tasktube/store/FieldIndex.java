package org.tasktube.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The index of a tube's searchable fields.
 *
 * @param id its number; 0 if the tube has no searchable fields
 * @param isComplete false while tasks that were put before the declaration of the fields may be missing
 */
public record FieldIndex(long id, boolean isComplete) {

    /** The index of a tube without searchable fields. */
    public static final FieldIndex NONE = new FieldIndex(0, false);

    public boolean exists() {
        return id != 0;
    }

    /**
     * Returns the hash by which the index finds a value. Other values may have it too, so that a search looks at the
     * data of what it finds. It takes 64 bits of SHA-256, for which nobody can make many values of one hash.
     *
     * @param field the field, as {@link org.tasktube.DataPath} writes it
     * @param text the value, as {@link org.tasktube.admin.IndexedText} writes it
     */
    public static long hash(String field, String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(field.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            return ByteBuffer.wrap(digest.digest(text.getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }
}
