package org.tasktube;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    private static final List<Path> SOURCES = List.of(Path.of("src/main/java"), Path.of("../console/src/main/java"));
    private static final Path DOCUMENT = Path.of("../../docs/log.md");
    private static final Pattern MESSAGE = Pattern.compile("@Message\\(\\s*id = (\\d+)");
    private static final Pattern ROW = Pattern.compile("(?m)(?<=^\\| |, )TASKTUBE0(\\d+)(?=,[^|]* \\|| \\|)");

    @Test
    void each_id_of_a_log_message_is_on_the_page_of_the_log_and_no_other() throws IOException {
        assertThat(ids(ROW, Files.readString(DOCUMENT))).isEqualTo(idsInSources());
    }

    private static SortedSet<Integer> idsInSources() throws IOException {
        SortedSet<Integer> ids = new TreeSet<>();
        for (Path sources : SOURCES) {
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(file -> file.endsWith("Log.java")).forEach(file -> ids.addAll(ids(MESSAGE, read(file))));
            }
        }
        return ids;
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
