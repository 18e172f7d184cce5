package org.tasktube.console.json;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.admin.TaskFilter;

import static org.assertj.core.api.Assertions.assertThat;

class SecretsTest {

    private static final String HIDDEN = "\"•••• hidden\"";

    @Test
    void a_value_of_a_secret_name_is_hidden_whatever_it_is() {
        assertThat(Secrets.hide("{\"password\":\"x\"}")).contains("{\"password\":" + HIDDEN + "}");
        assertThat(Secrets.hide("{\"creditCard\" : 4111, \"a\":1}"))
                .contains("{\"creditCard\" : " + HIDDEN + ", \"a\":1}");
        assertThat(Secrets.hide("{\"tokens\":[\"a]\",{\"b\":\"}\"}],\"c\":2}"))
                .contains("{\"tokens\":" + HIDDEN + ",\"c\":2}");
        assertThat(Secrets.hide("[{\"IBAN\":null},{\"Authorization\":true}]"))
                .contains("[{\"IBAN\":" + HIDDEN + "},{\"Authorization\":" + HIDDEN + "}]");
    }

    @Test
    void all_other_characters_stay() {
        String before =
                "{ \"id\":9007199254740993.000000000000000000001e400,\n\t\"s\":\"\\\"password\\\":1\", \"secret\":1 }";
        assertThat(Secrets.hide(before)).contains(before.replace("\"secret\":1", "\"secret\":" + HIDDEN));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"p\\u0061ssword\":\"x\"}", "{\"pa\\u0073Sword\":\"x\"}", "{\"SECRET_KEY\"\n:\n\"x\"}"})
    void a_name_in_another_writing_is_hidden_too(String text) {
        assertThat(Secrets.hide(text).orElseThrow()).doesNotContain("\"x\"").contains(HIDDEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "password", "\"password\"", "{\"a\":\"password\"}", "[\"secret\", \"token\"]", "{\"a"})
    void text_without_such_a_member_has_nothing_to_hide(String text) {
        assertThat(Secrets.hide(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{\"password\":\"x", "{\"password\":{\"a\":\"x\"", "{\"password\":[\"x\\", "log {\"password\":x"
            })
    void text_that_ends_early_shows_nothing_of_the_value(String text) {
        assertThat(Secrets.hide(text).orElseThrow()).endsWith(HIDDEN).doesNotContain("x");
    }

    @Test
    void ten_thousand_levels_are_no_burden() {
        String deep = "[".repeat(10_000) + "{\"secret\":" + "[".repeat(10_000) + "7";
        assertThat(Secrets.hide(deep)).contains("[".repeat(10_000) + "{\"secret\":" + HIDDEN);
    }

    @Test
    void headers_are_hidden_by_their_names() {
        assertThat(Secrets.hide(Map.of("X-Token", "abc"))).containsEntry("X-Token", Secrets.HIDDEN);
        assertThat(Secrets.hide(Map.of("traceparent", "00-1"))).containsEntry("traceparent", "00-1");
    }

    @Test
    void a_filter_hides_the_values_of_those_conditions_that_could_find_a_secret() {
        assertThat(Secrets.hide(TaskFilter.parse(
                        "tube:orders -data.user.Password:a,b data.card.no>4111 data:*x* data.id:7 error:\"no card\"")))
                .isEqualTo("tube:orders -data.user.Password:\"•••• hidden\" data.card.no>\"•••• hidden\""
                        + " data:\"•••• hidden\" data.id:7 error:\"no card\"");
    }
}
