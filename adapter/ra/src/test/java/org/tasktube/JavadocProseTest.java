package org.tasktube;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The wording of comments and log messages keeps the rules of "Prose" in CONTRIBUTING.md. */
class JavadocProseTest {

    private static final List<String> MODULES = List.of("adapter/api", "adapter/ra", "adapter/timers", "ejb-sample");

    /** Packages and files that do not keep these rules yet. The list only shrinks. */
    private static final List<String> EXEMPT = List.of(
            "org/tasktube/store/",
            "org/tasktube/tube/TubeEngine.java",
            "org/tasktube/tube/HeldTasks.java",
            "org/tasktube/tube/Claimer.java",
            "org/tasktube/tube/AfterCommit.java");

    private static final int MOST_WORDS = 30;

    private static final Pattern WRONG_BEGINNING = Pattern.compile(
            "(?i)(?:^|[.!?:;][)\\]\"]*\\s+)[(\\[\"]*((?:what|who|whoever|whose|whether|those|somebody|nobody"
                    + "|whatever)\\b[^.]{0,40})");

    private static final Pattern END_OF_SENTENCE = Pattern.compile("(?<=[.!?][)\\]\"]{0,2})\\s+(?=[^a-z])");

    /** A word that something calls, as in {@code settle()}, is an identifier. */
    private static final Pattern BANNED = Pattern.compile(ProseTest.BANNED.pattern() + "(?!\\()");

    @Test
    void no_sentence_of_a_comment_or_message_begins_with_who_whose_whether_what_those_or_nobody() {
        assertThat(found(JavadocProseTest::prose, WRONG_BEGINNING)).isEmpty();
    }

    @Test
    void no_comment_or_message_has_a_word_of_our_own_for_which_the_field_has_one() {
        assertThat(found(JavadocProseTest::prose, BANNED)).isEmpty();
    }

    @Test
    void no_sentence_of_a_javadoc_has_more_than_30_words() {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            Comments.javadocs(Documents.read(file)).stream()
                    .flatMap(END_OF_SENTENCE::splitAsStream)
                    .filter(sentence -> sentence.split(" ").length > MOST_WORDS)
                    .forEach(sentence -> found.add(name(file) + ": " + sentence));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void each_exemption_is_of_sources_that_exist() {
        List<String> all = everySource().map(JavadocProseTest::name).toList();
        assertThat(EXEMPT).allSatisfy(exempt -> assertThat(all).anyMatch(file -> file.contains(exempt)));
    }

    private static List<String> found(Function<String, Stream<String>> prose, Pattern wrong) {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            prose.apply(Documents.read(file)).forEach(block -> wrong.matcher(block)
                    .results()
                    .map((MatchResult result) -> name(file) + ": \"" + result.group(1) + "\" in: " + block)
                    .forEach(found::add));
        }
        return found;
    }

    private static Stream<String> prose(String source) {
        return Stream.of(Comments.javadocs(source), Comments.others(source), Comments.messages(source))
                .flatMap(List::stream);
    }

    private static List<Path> sources() {
        return everySource()
                .filter(file -> EXEMPT.stream().noneMatch(name(file)::contains))
                .toList();
    }

    private static Stream<Path> everySource() {
        return MODULES.stream().flatMap(module -> javaFiles(Documents.ROOT.resolve(module + "/src/main/java")));
    }

    private static Stream<Path> javaFiles(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(Path file) {
        return Documents.ROOT.relativize(file).toString().replace('\\', '/');
    }
}
