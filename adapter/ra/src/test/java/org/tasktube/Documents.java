package org.tasktube;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The pages of the repository, in Markdown. */
final class Documents {

    static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```$");

    private Documents() {}

    /** Returns the pages at the top, in {@code docs}, and of the sample. */
    static List<Path> all() {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.list(ROOT.resolve("docs"));
                Stream<Path> sample = Files.list(ROOT.resolve("ejb-sample"))) {
            return Stream.of(top, docs, sample)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the text of a page without its blocks of code. */
    static String prose(Path page) {
        return CODE_BLOCK.matcher(read(page)).replaceAll("");
    }

    static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
