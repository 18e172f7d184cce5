package org.tasktube.sample.links;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Lines of text in few bytes. A site has a hundred times more links than pages, and they are alike. As rows they would
 * take longer to store than to find. Packed, they take a tenth of their text.
 */
public final class PackedLines {

    /** The most bytes that H2 can hold in one plain column; enough for the links of a page of 10 MB. */
    public static final int MAX_BYTES = 1_048_576;

    private PackedLines() {}

    /**
     * Packs lines.
     *
     * @throws IllegalArgumentException if they take more than {@link #MAX_BYTES} bytes
     */
    public static byte[] pack(Stream<String> lines) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(bytes)) {
            for (String line : (Iterable<String>) lines::iterator) {
                deflater.write(line.getBytes(StandardCharsets.UTF_8));
                deflater.write('\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a stream in memory cannot fail", e);
        }
        if (bytes.size() > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "the links of a page take " + bytes.size() + " bytes, over the limit of " + MAX_BYTES);
        }
        return bytes.toByteArray();
    }

    public static List<String> unpack(byte[] packed) {
        try (InflaterInputStream inflater = new InflaterInputStream(new ByteArrayInputStream(packed))) {
            return new String(inflater.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("what was packed cannot be unpacked", e);
        }
    }
}
