package org.tasktube.console.json;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.OnConflict;
import org.tasktube.TaskData;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BodyTest {

    @Test
    void members_are_read_by_their_types() {
        Body body = Body.parse("{\"t\":\"x\",\"n\":7,\"d\":\"PT5S\",\"e\":\"10m\",\"f\":true,\"c\":\"keep\",\"z\":null,"
                + "\"h\":{\"a\":\"1\"}}");
        assertThat(body.text("t")).contains("x");
        assertThat(body.number("n")).hasValue(7);
        assertThat(body.duration("d")).contains(Duration.ofSeconds(5));
        assertThat(body.duration("e")).contains(Duration.ofMinutes(10));
        assertThat(body.flag("f")).isTrue();
        assertThat(body.choice("c", OnConflict.class)).contains(OnConflict.KEEP);
        assertThat(body.texts("h")).containsEntry("a", "1");
        assertThat(body.text("z")).isEmpty();
        assertThat(body.text("absent")).isEmpty();
        assertThat(body.isNull("z")).isTrue();
        assertThat(body.isNull("absent") || body.isNull("t")).isFalse();
        body.end();
    }

    @Test
    void an_empty_body_has_no_members() {
        Body.read(new ByteArrayInputStream(new byte[0])).end();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"x", "[]", "1", "\"a\"", "null", "{", "{\"a\":1}{", "{a:1}", "{\"a\":01}", " ", "{\"a\":1,}"})
    void a_body_that_is_no_json_object_is_refused(String text) {
        refused(() -> Body.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"reason\":\"a\",\"reason\":\"b\"}", "{\"data\":{\"x\":1,\"x\":2}}"})
    void two_members_of_one_name_are_refused(String text) {
        refused(() -> Body.parse(text));
    }

    @Test
    void a_body_that_is_too_deep_is_refused() {
        refused(() -> Body.parse("{\"a\":" + "[".repeat(100_000)));
        refused(() -> Body.parse("{\"a\":".repeat(10_000) + "1" + "}".repeat(10_000)));
    }

    @Test
    void a_body_that_is_no_utf_8_is_refused() {
        refused(() -> Body.read(new ByteArrayInputStream("{\"a\":\"é\"}".getBytes(ISO_8859_1))));
    }

    @Test
    void a_body_that_ends_early_is_a_mistake_of_the_client() throws IOException {
        InputStream ended = InputStream.nullInputStream();
        ended.close();
        refused(() -> Body.read(ended));
    }

    @Test
    void a_body_over_its_bound_is_too_large() {
        byte[] over = ("{\"a\":\"" + "x".repeat(Body.MAX) + "\"}").getBytes(UTF_8);
        assertThatThrownBy(() -> Body.read(new ByteArrayInputStream(over)))
                .isInstanceOfSatisfying(ProblemException.class, thrown -> assertThat(thrown.kind())
                        .isEqualTo(Kind.TOO_LARGE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"1.5", "2147483648", "\"7\"", "true", "1e1000000", "-1e999999999", "{}"})
    void a_number_that_is_none_is_refused(String value) {
        refused(() -> Body.parse("{\"n\":" + value + "}").number("n"));
    }

    @Test
    void a_wrong_type_is_refused_with_the_name_of_the_member() {
        assertThatThrownBy(() -> Body.parse("{\"t\":1}").text("t")).hasMessageContaining("'t'");
        refused(() -> Body.parse("{\"d\":\"soon\"}").duration("d"));
        refused(() -> Body.parse("{\"f\":\"true\"}").flag("f"));
        refused(() -> Body.parse("{\"h\":{\"a\":1}}").texts("h"));
        refused(() -> Body.parse("{\"c\":\"other\"}").choice("c", OnConflict.class));
    }

    @Test
    void an_unknown_member_is_refused() {
        Body body = Body.parse("{\"prio\":1}");
        assertThatThrownBy(body::end).hasMessageContaining("'prio'");
    }

    @Test
    void data_keeps_each_digit() {
        TaskData data = data("{\"data\":{\"id\":9007199254740993,\"x\":0.10000000000000000000000000001}}");
        assertThat(data.contentType()).isEqualTo(TaskData.JSON);
        assertThat(data.text()).isEqualTo("{\"id\":9007199254740993,\"x\":0.10000000000000000000000000001}");
    }

    @Test
    void data_is_text_or_json_as_text_or_bytes() {
        assertThat(data("{\"data\":\"a\"}")).isEqualTo(TaskData.of("a"));
        assertThat(data("{\"data\":\"{ \\\"a\\\": 1.0 }\",\"contentType\":\"application/json\"}"))
                .isEqualTo(TaskData.of(TaskData.JSON, "{ \"a\": 1.0 }".getBytes(UTF_8)));
        assertThat(data("{\"base64\":\"AP8=\"}")).isEqualTo(TaskData.of(new byte[] {0, -1}));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"data\":\"{\",\"contentType\":\"application/json\"}",
                "{\"data\":{},\"contentType\":\"text/plain\"}",
                "{\"data\":\"a\",\"base64\":\"AA==\"}",
                "{\"base64\":\"%\"}",
                "{\"contentType\":\"text/plain\"}",
                "{\"data\":\"\\ud800\"}",
            })
    void data_that_contradicts_itself_is_refused(String body) {
        refused(() -> data(body));
    }

    private static TaskData data(String body) {
        return SentData.in(Body.parse(body)).orElseThrow();
    }

    private static void refused(Runnable call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(ProblemException.class, thrown -> assertThat(thrown.kind())
                .isEqualTo(Kind.BODY));
    }
}
