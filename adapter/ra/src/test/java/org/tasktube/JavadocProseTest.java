package org.tasktube;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The wording of comments, those in SQL files too, and of log messages keeps the rules of "Prose" in CONTRIBUTING.md.
 */
class JavadocProseTest {

    private static final List<String> MODULES =
            List.of("adapter/api", "adapter/ra", "adapter/timers", "adapter/console", "ejb-sample");

    /** The files with the statements and the tables of each database. */
    private static final String SQL = "adapter/ra/src/main/resources";

    private static final int MOST_WORDS = 30;

    private static final Pattern WRONG_BEGINNING = Pattern.compile(
            "(?i)(?:^|[.!?:;][)\\]\"]*\\s+)[(\\[\"]*((?:what|who|whoever|whose|whether|those|somebody|nobody"
                    + "|whatever)\\b[^.]{0,40})");

    private static final Pattern END_OF_SENTENCE = Pattern.compile("(?<=[.!?][)\\]\"]{0,2})\\s+(?=[^a-z])");

    /** A word that something calls, as in {@code settle()}, is an identifier. */
    private static final Pattern BANNED = Pattern.compile(ProseTest.BANNED.pattern() + "(?!\\()");

    @Test
    void no_sentence_of_a_comment_or_message_begins_with_who_whose_whether_what_those_or_nobody() {
        assertThat(found(WRONG_BEGINNING)).isEmpty();
    }

    @Test
    void no_comment_or_message_has_a_word_of_our_own_for_which_the_field_has_one() {
        assertThat(found(BANNED)).isEmpty();
    }

    @Test
    void no_sentence_of_a_javadoc_or_of_a_comment_in_sql_has_more_than_30_words() {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            explanations(file)
                    .flatMap(END_OF_SENTENCE::splitAsStream)
                    .filter(sentence -> sentence.split(" ").length > MOST_WORDS)
                    .forEach(sentence -> found.add(name(file) + ": " + sentence));
        }
        assertThat(found).isEmpty();
    }

    private static List<String> found(Pattern wrong) {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            prose(file).forEach(block -> wrong.matcher(block)
                    .results()
                    .map((MatchResult result) -> name(file) + ": \"" + result.group(1) + "\" in: " + block)
                    .forEach(found::add));
        }
        return found;
    }

    private static Stream<String> prose(Path file) {
        String source = Documents.read(file);
        return isSql(file)
                ? explanations(file)
                : Stream.of(Comments.javadocs(source), Comments.others(source), Comments.messages(source))
                        .flatMap(List::stream);
    }

    private static Stream<String> explanations(Path file) {
        String source = Documents.read(file);
        return isSql(file) ? Comments.sql(source).stream() : Comments.javadocs(source).stream();
    }

    private static boolean isSql(Path file) {
        return file.toString().endsWith(".sql");
    }

    private static List<Path> sources() {
        Stream<Path> java = MODULES.stream().flatMap(module -> files(module + "/src/main/java", ".java"));
        return Stream.concat(java, files(SQL, ".sql")).toList();
    }

    private static Stream<Path> files(String directory, String ending) {
        try (Stream<Path> files = Files.walk(Documents.ROOT.resolve(directory))) {
            return files.filter(file -> file.toString().endsWith(ending)).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(Path file) {
        return Documents.ROOT.relativize(file).toString().replace('\\', '/');
    }
}
