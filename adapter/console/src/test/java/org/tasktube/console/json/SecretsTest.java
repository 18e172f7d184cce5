package org.tasktube.console.json;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.admin.TaskFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SecretsTest {

    private static final String HIDDEN = "\"•••• hidden\"";

    private static String hide(String text) throws Secrets.NotJsonException {
        return Secrets.hide(text).orElse("nothing");
    }

    @Test
    void a_value_of_a_secret_name_is_hidden_whatever_it_is() throws Exception {
        assertThat(hide("{\"password\":\"x\"}")).isEqualTo("{\"password\":" + HIDDEN + "}");
        assertThat(hide("{\"creditCard\" : 4111, \"a\":1}")).isEqualTo("{\"creditCard\" : " + HIDDEN + ", \"a\":1}");
        assertThat(hide("{\"tokens\":[\"a]\",{\"b\":\"}\"}],\"c\":2}"))
                .isEqualTo("{\"tokens\":" + HIDDEN + ",\"c\":2}");
        assertThat(hide("[{\"IBAN\":null},{\"Authorization\":true}]"))
                .isEqualTo("[{\"IBAN\":" + HIDDEN + "},{\"Authorization\":" + HIDDEN + "}]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pwd",
                "userPwd",
                "DB_PASS",
                "apiKey",
                "api-key",
                "X-Api-Key",
                "cvv",
                "cvv2",
                "CVC2",
                "PINCode",
                "pin1",
                "PANNumber",
                "SSNLast4",
                "X-Otp1",
                "Set-Cookie",
                "cardPin",
                "privateKey",
                "client_secret",
                "passphrase"
            })
    void a_name_is_secret_by_its_parts_and_its_short_words(String name) {
        assertThat(Secrets.isSecret(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shipping", "company", "compass", "spinner", "id", "panel", "robotPath"})
    void a_short_word_inside_of_another_is_no_secret(String name) {
        assertThat(Secrets.isSecret(name)).isFalse();
    }

    @Test
    void further_names_are_configuration() {
        assertThat(Secrets.isSecret("Kunden-Nummer")).isFalse();
        System.setProperty("tasktube.console.secret-names", "salary, kundennummer");
        try {
            assertThat(Secrets.isSecret("Kunden-Nummer")).isTrue();
            assertThat(Secrets.isSecret("shipping")).isFalse();
        } finally {
            System.clearProperty("tasktube.console.secret-names");
        }
    }

    @Test
    void all_other_characters_stay() throws Exception {
        String before = "{ \"id\":9007199254740993.000000000000000000001e400,\n\t\"s\":\"\\\"a\\\":1\", \"secret\":1 }";
        assertThat(hide(before)).isEqualTo(before.replace("\"secret\":1", "\"secret\":" + HIDDEN));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"p\\u0061ssword\":\"x\"}", "{\"pa\\u0073Sword\":\"x\"}", "{\"SECRET_KEY\"\n:\n\"x\"}"})
    void a_name_in_another_writing_is_hidden_too(String text) throws Exception {
        assertThat(hide(text)).doesNotContain("\"x\"").contains(HIDDEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\"password\",\"value\":\"x\"}",
                "[{\"type\":\"password\",\"value\":\"x\"}]",
                "{\"value\":{\"a\":[\"x\"]},\"key\":\"api_key\"}",
                "[\"Cookie\",\"x\"]",
                "{\"headers\":[[\"A\",\"1\"],[\"Authorization\",\"x\"]]}",
                "{\"payload\":\"{\\\"password\\\":\\\"x\\\"}\"}",
                "{\"form\":\"user=a&pwd=x\"}",
                "{\"m\":\"<password>x</password>\"}",
                "{\"env\":[\"DB_PASSWORD:x\"]}",
                "{\"name\":\"pin\",\"v\":\"x\",\"a\":1,\"value\":\"x\"}",
                "\"the token is x\""
            })
    void a_secret_of_a_pair_or_inside_of_a_text_is_hidden(String text) throws Exception {
        assertThat(hide(text)).doesNotContain("x").contains(HIDDEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"password\"",
                "{\"payment\":\"card\",\"id\":7}",
                "{\"name\":\"shipping\",\"value\":\"x\"}",
                "[\"A\",\"x\"]",
                "7",
                " [ true , null , -1.5e+3 , { } , [ ] ] "
            })
    void json_without_such_a_value_has_nothing_to_hide(String text) throws Exception {
        assertThat(hide(text)).isEqualTo("nothing");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "{\"a",
                "{\"a\":1,}",
                "[1,]",
                "[1 2]",
                "01",
                "{\"a\" 1}",
                "[1]x",
                "\"\\x\"",
                "\"\\u12\"",
                "\"a\nb\"",
                "<password>x</password>",
                "user=a&password=x",
                "log {\"password\":1}",
                "}",
                "[}",
                "nul"
            })
    void what_is_no_json_is_not_shown_at_all(String text) {
        assertThatThrownBy(() -> Secrets.hide(text)).isInstanceOf(Secrets.NotJsonException.class);
    }

    @Test
    void ten_thousand_levels_are_no_burden() throws Exception {
        String deep = "[".repeat(10_000) + "{\"secret\":" + "[".repeat(10_000) + "7" + "]".repeat(10_000) + "}"
                + "]".repeat(10_000);
        assertThat(hide(deep)).isEqualTo("[".repeat(10_000) + "{\"secret\":" + HIDDEN + "}" + "]".repeat(10_000));
    }

    @Test
    void headers_are_hidden_by_their_names() {
        assertThat(Secrets.hide(Map.of("X-Token", "abc"))).containsEntry("X-Token", Secrets.HIDDEN);
        assertThat(Secrets.hide(Map.of("traceparent", "00-1"))).containsEntry("traceparent", "00-1");
        assertThat(Secrets.hide(Map.of("env", "DB_PASSWORD=x"))).containsEntry("env", Secrets.HIDDEN);
    }

    @Test
    void a_filter_hides_the_values_of_those_conditions_that_could_find_a_secret() {
        assertThat(Secrets.hide(TaskFilter.parse(
                        "tube:orders -data.user.Password:a,b data.card.no>4111 data:*x* data.id:7 data.a:* data.a:x*"
                                + " data.value:7 data.c.1>4 data.value.number>4 error:\"no card\"")))
                .isEqualTo(
                        "tube:orders -data.user.Password:\"•••• hidden\" data.card.no>\"•••• hidden\""
                                + " data:\"•••• hidden\" data.id:7 data.a:* data.a:\"•••• hidden\""
                                + " data.value:\"•••• hidden\" data.c.1>\"•••• hidden\" data.value.number>\"•••• hidden\" error:\"no card\"");
    }
}
