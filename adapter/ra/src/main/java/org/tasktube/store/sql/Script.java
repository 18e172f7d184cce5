package org.tasktube.store.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Files of statements that run one after another. */
final class Script {

    private Script() {}

    /** Returns the text of a file beside this class. */
    static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the statements of a text. A statement with semicolons of its own has them between $$. */
    static List<String> statements(String text) {
        String bare = text.replaceAll("(?m)--.*$", "");
        return Arrays.stream(bare.split(";(?=(?:[^$]*\\$\\$[^$]*\\$\\$)*[^$]*$)"))
                .map(String::strip)
                .filter(s -> !s.isEmpty())
                .toList();
    }
}
