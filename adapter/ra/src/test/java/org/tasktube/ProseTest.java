package org.tasktube;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The wording of the pages keeps the rules of "Prose" in CONTRIBUTING.md. */
class ProseTest {

    private static final int MAX_COLUMNS = 100;

    private static final Pattern ADDRESS = Pattern.compile("(?<=\\]\\()[^)\\s]+|\\w+://\\S+");
    private static final Pattern INLINE_CODE = Pattern.compile("`[^`]+`");

    private static final Pattern HEADING = Pattern.compile("(?m)^#+ .*$");

    /** The beginning of a heading, a list item, a quote or a cell. */
    private static final Pattern MARKER = Pattern.compile("^\\s*(?:#+|[-*>]|\\d+\\.|\\|)\\s+");

    /** After the beginning of a block or the end of another sentence, with its markup. */
    private static final Pattern WRONG_BEGINNING =
            Pattern.compile("(?i)(?:^|[.!?:;][*_)\\]\"]*\\s+)[*_(\\[\"]*((?:who|whoever|whether|what)\\b[^.]{0,40})");

    /** Words of our own for which the field has better ones. */
    static final Pattern BANNED = Pattern.compile("(?i)\\b("
            + String.join(
                    "|",
                    "upkeep", // maintenance thread
                    "aftermath", // the effects after a commit
                    "lanes?", // sub-queue
                    "errands?", // background thread
                    "(?:hand|hands|handed|handing) over", // release, deliver
                    "lets? go|letting go", // release, ack, unblock
                    "pass(?:es)? over", // skip
                    "mend(?:s|ed)?", // fix
                    "told|tells?", // notify, report, return
                    "fed|feeds?", // the bean gets tasks
                    "comes? again", // is retried
                    "settl(?:e|es|ed|ing)", // find the first task of a sub-queue
                    "whoever|whatever|somebody|nobody|meanwhile")
            + ")\\b");

    @Test
    void no_line_of_a_page_has_more_than_100_columns() {
        List<String> found = new ArrayList<>();
        for (Path page : Documents.all()) {
            Documents.prose(page)
                    .lines()
                    .filter(line -> !line.startsWith("|"))
                    .filter(line -> columns(line) > MAX_COLUMNS)
                    .forEach(line -> found.add(name(page) + ": " + line));
        }
        assertThat(found).isEmpty();
    }

    private static long columns(String line) {
        return ADDRESS.matcher(line).replaceAll("").codePoints().count();
    }

    @Test
    void no_sentence_of_a_page_begins_with_who_whoever_whether_or_what() {
        assertThat(found(WRONG_BEGINNING)).isEmpty();
    }

    @Test
    void no_page_has_a_word_of_our_own_for_which_the_field_has_one() {
        assertThat(found(BANNED)).isEmpty();
    }

    private static List<String> found(Pattern wrong) {
        List<String> found = new ArrayList<>();
        for (Path page : Documents.all()) {
            blocks(page).forEach(block -> wrong.matcher(block)
                    .results()
                    .map((MatchResult result) -> name(page) + ": \"" + result.group(1) + "\" in: " + block)
                    .forEach(found::add));
        }
        return found;
    }

    /** Returns headings, paragraphs, list items and cells, a line each, without code and addresses. */
    private static Stream<String> blocks(Path page) {
        String text = INLINE_CODE.matcher(Documents.prose(page)).replaceAll("code");
        String bare = HEADING.matcher(ADDRESS.matcher(text).replaceAll("")).replaceAll("$0\n");
        return Arrays.stream(bare.split("\n\\s*\n|\n(?=\\s*(?:#+|[-*>]|\\d+\\.|\\|)\\s)"))
                .flatMap(block -> block.startsWith("|") ? Arrays.stream(block.split("\\|")) : Stream.of(block))
                .map(block -> MARKER.matcher(block)
                        .replaceFirst("")
                        .replaceAll("\\s+", " ")
                        .strip());
    }

    private static String name(Path page) {
        return Documents.ROOT.relativize(page).toString().replace('\\', '/');
    }
}
