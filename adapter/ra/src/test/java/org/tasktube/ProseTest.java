package org.tasktube;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Pages, comments and log messages use the words of the field, and pages are readable in a terminal. */
class ProseTest {

    private static final int MAX_COLUMNS = 100;

    private static final List<String> SOURCES =
            List.of("adapter/api", "adapter/ra", "adapter/testkit", "adapter/timers", "adapter/console", "ejb-sample");

    private static final Pattern ADDRESS = Pattern.compile("(?<=\\]\\()[^)\\s]+|\\w+://\\S+");

    private static final Pattern REFERENCE = Pattern.compile("^\\[[a-z-]+\\]: ");

    /** Coinages of this project: the maintenance thread, the effects of a commit, a sub-queue, the background thread. */
    private static final Pattern COINAGES = Pattern.compile("(?i)\\b(upkeep|aftermath|lanes?|errands?)\\b");

    @Test
    void no_line_of_a_page_has_more_than_100_columns() {
        List<String> found = new ArrayList<>();
        for (Path page : Documents.all()) {
            Documents.prose(page)
                    .lines()
                    .filter(line ->
                            !line.startsWith("|") && !REFERENCE.matcher(line).find())
                    .filter(line -> columns(line) > MAX_COLUMNS)
                    .forEach(line -> found.add(name(page) + ": " + line));
        }
        assertThat(found).isEmpty();
    }

    private static long columns(String line) {
        return ADDRESS.matcher(line).replaceAll("").codePoints().count();
    }

    @Test
    void no_page_or_source_has_a_word_of_our_own_for_which_the_field_has_one() throws IOException {
        List<Path> files = new ArrayList<>(Documents.all());
        for (String module : SOURCES) {
            try (Stream<Path> sources =
                    Files.walk(Documents.ROOT.resolve(module).resolve("src/main"))) {
                sources.filter(file -> file.toString().matches(".*\\.(java|sql)"))
                        .forEach(files::add);
            }
        }
        assertThat(files)
                .filteredOn(file -> COINAGES.matcher(Documents.read(file)).find())
                .isEmpty();
    }

    private static String name(Path page) {
        return Documents.ROOT.relativize(page).toString().replace('\\', '/');
    }
}
