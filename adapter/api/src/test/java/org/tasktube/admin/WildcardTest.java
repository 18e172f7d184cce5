package org.tasktube.admin;

import java.time.Duration;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class WildcardTest {

    /** Few letters, so that parts occur, overlap and almost occur. */
    @Test
    void a_star_stands_for_any_text_as_in_a_regular_expression() {
        Random random = new Random(7);
        for (int i = 0; i < 100_000; i++) {
            String pattern = text(random, "ab*", 6);
            String text = text(random, "ab", 8);
            Pattern expected = Pattern.compile(
                    Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
            assertThat(Wildcard.matches(pattern, text))
                    .as("%s %s", pattern, text)
                    .isEqualTo(expected.matcher(text).matches());
        }
    }

    @Test
    void a_star_or_a_backslash_after_a_backslash_is_an_ordinary_one() {
        assertThat(Wildcard.matches("a\\*c", "a*c")).isTrue();
        assertThat(Wildcard.matches("a\\*c", "abc")).isFalse();
        assertThat(Wildcard.matches("a\\\\*", "a\\bc")).isTrue();
        assertThat(Wildcard.matches("a\\\\*", "a*")).isFalse();
        assertThat(Wildcard.matches("C:\\dir\\*\\", "C:\\dir*\\")).isTrue();
        assertThat(Wildcard.only("a\\*c")).contains("a*c");
        assertThat(Wildcard.only("a*c")).isEmpty();
    }

    private static String text(Random random, String letters, int most) {
        return random.ints(random.nextInt(most + 1), 0, letters.length())
                .mapToObj(i -> letters.substring(i, i + 1))
                .collect(Collectors.joining());
    }

    /** The product of both lengths would take minutes. */
    @Test
    void no_pattern_is_slow() {
        String text = "a".repeat(1 << 20);
        String part = "a".repeat(900) + "b";
        assertThatNoException()
                .isThrownBy(() -> assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
                    assertThat(Wildcard.matches("*" + part + "*" + part + "*", text))
                            .isFalse();
                    assertThat(Wildcard.matches("*" + "a*".repeat(900) + "b", text))
                            .isFalse();
                }));
    }
}
