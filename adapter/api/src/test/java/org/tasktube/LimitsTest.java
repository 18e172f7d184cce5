package org.tasktube;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LimitsTest {

    private static final Duration TOO_LONG = TubeDefinition.MAX_DURATION.plusMillis(1);

    @Test
    void a_negative_duration_is_refused_by_its_name() {
        refused(() -> PutOptions.defaults().delay(Duration.ofMillis(-1)), "delay PT-0.001S");
        refused(() -> PutOptions.defaults().ttl(Duration.ofSeconds(-1)), "ttl PT-1S");
        refused(() -> ReleaseOptions.defaults().delay(Duration.ofMillis(-1)), "delay");
    }

    @Test
    void no_time_at_all_is_refused_where_it_would_be_a_dead_task() {
        refused(() -> PutOptions.defaults().ttl(Duration.ZERO), "below 1 ms");
        refused(() -> PutOptions.defaults().ttr(Duration.ofNanos(999)), "below 1 ms");
        assertThat(PutOptions.defaults().delay(Duration.ZERO).delay()).contains(Duration.ZERO);
    }

    @Test
    void a_duration_over_100_years_is_refused_with_the_bound() {
        refused(() -> PutOptions.defaults().ttl(TOO_LONG), "36500 days");
        refused(() -> PutOptions.defaults().delay(Duration.ofSeconds(Long.MAX_VALUE)), "36500 days");
        refused(() -> TubeDefinition.fifottl("a").ttr(TOO_LONG), "ttr");
    }

    @Test
    void a_negative_pri_is_refused() {
        refused(() -> PutOptions.defaults().pri(-1), "pri -1");
        refused(() -> TubeDefinition.fifottl("a").pri(-1), "pri -1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1a", "-a", "a b", "a.b", "ä", "a123456789012345678901234567890123", "a;drop table"})
    void a_name_outside_the_rule_is_refused_with_the_rule(String name) {
        refused(() -> TubeDefinition.fifo(name), "starts with a letter");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "list_of_sites", "mails-2", "A1234567890123456789012345678901"})
    void a_name_inside_the_rule_is_taken(String name) {
        assertThat(TubeDefinition.fifo(name).name()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "ä", "a:b", "a/b", "a\n"})
    void a_header_name_outside_the_rule_is_refused_with_the_rule(String name) {
        refused(() -> PutOptions.defaults().header(name, "x"), "'" + name + "' of " + name.length());
        refused(() -> PutOptions.defaults().header(name, "x"), "1 to 64 characters of A-Z a-z 0-9 . _ -");
    }

    @Test
    void a_long_header_name_is_refused_with_its_length() {
        String longest = "a".repeat(PutOptions.MAX_HEADER_NAME);
        assertThat(PutOptions.defaults().header(longest, "x").headers()).containsOnlyKeys(longest);
        refused(() -> PutOptions.defaults().header(longest + "a", "x"), "of 65 characters");
        refused(() -> PutOptions.defaults().header("\0", "x"), "'\\0'");
    }

    @Test
    void a_reserved_header_name_is_refused() {
        refused(() -> PutOptions.defaults().header("tasktube.x", "x"), "header name 'tasktube.x' begins with");
        assertThat(PutOptions.defaults().header("tasktube", "x").headers()).containsOnlyKeys("tasktube");
        assertThat(PutOptions.defaults().header("traceparent", "x").headers()).containsOnlyKeys("traceparent");
    }

    @Test
    void more_headers_than_the_bound_are_refused_by_the_first_too_many() {
        PutOptions most = PutOptions.defaults();
        for (int i = 1; i <= PutOptions.MAX_HEADERS; i++) {
            most = most.header("h" + i, "x");
        }
        PutOptions full = most;
        assertThat(full.header("h1", "y").headers()).hasSize(32).containsEntry("h1", "y");
        refused(() -> full.header("h33", "x"), "header 'h33' is number 33, and a task has at most 32");
    }

    @Test
    void headers_over_their_bytes_are_refused_with_both_sizes() {
        PutOptions half = PutOptions.defaults().header("a", "€".repeat(682)); // 1 + 2046 bytes
        assertThat(half.header("b", "x".repeat(2048)).headers()).hasSize(2);
        refused(
                () -> half.header("b", "x".repeat(2049)),
                "header 'b' has a value of 2049 bytes, with which the names and values of the headers have 4097");
        refused(() -> half.header("b", "x".repeat(2049)), "the limit is 4096");
    }

    @Test
    void a_header_value_that_is_no_text_for_a_database_is_refused() {
        refused(() -> PutOptions.defaults().header("a", "b\0c"), "header 'a' has a NUL character in its value of 3");
        refused(() -> PutOptions.defaults().header("a", "b\ud83d"), "header 'a' has half of a surrogate pair");
        refused(() -> PutOptions.defaults().header("a", null), "header 'a' has null as its value");
        refused(() -> PutOptions.defaults().header(null, "b"), "a header has null as its name");
    }

    @Test
    void half_of_a_surrogate_pair_is_refused_and_never_another_character() {
        refused(() -> PutOptions.defaults().utube("\ud800"), "utube has half of a surrogate pair");
        refused(() -> TaskData.of("a\ud801"), "the text has half of a surrogate pair in its 2 characters");
        assertThatThrownBy(() -> TaskData.json("\udc00")).isInstanceOf(TaskDataException.class);
        assertThat(TaskData.of("\ud83d\ude00").size()).isEqualTo(4);
    }

    private static void refused(ThrowingCallable call, String part) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(part);
    }
}
