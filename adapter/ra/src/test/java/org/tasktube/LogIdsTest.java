package org.tasktube;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

/** An operator finds each message of the log in the documentation. */
class LogIdsTest {

    private static final Path SOURCES = Path.of("src/main/java");
    private static final Path DOCUMENT = Path.of("../../docs/operations.md");
    private static final Pattern MESSAGE = Pattern.compile("@Message\\(\\s*id = (\\d+)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| TASKTUBE0(\\d+) \\|");

    @Test
    void each_id_of_a_log_message_is_in_the_table_of_operations_and_no_other() throws IOException {
        assertThat(ids(ROW, Files.readString(DOCUMENT))).isEqualTo(idsInSources());
    }

    private static SortedSet<Integer> idsInSources() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.endsWith("Log.java"))
                    .flatMap(file -> ids(MESSAGE, read(file)).stream())
                    .collect(toCollection(TreeSet::new));
        }
    }

    private static SortedSet<Integer> ids(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> Integer.valueOf(found.group(1)))
                .collect(toCollection(TreeSet::new));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
