package org.tasktube.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TaskFilterTest {

    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
    /** The kind of the task's last failure. */
    private static final String KIND = "57a92e7b21689c7e";

    private static final UUID SESSION = UUID.fromString("2f9c0000-0000-0000-0000-000000000001");
    private static final TaskData DATA =
            TaskData.of(TaskData.JSON, """
            {"other": {"id": 7, "deep": [[1], {"x": 2}]}, "customer": {"id": 42, "name": "Ann, B. \\"x\\"", "vip": true},
             "weight": 9007199254740993, "price": 1.50, "lines": [{"sku": "a"}, {"sku": "b-7"}], "none": null}""".getBytes(java.nio.charset.StandardCharsets.UTF_8));

    /** A task of tube orders, TAKEN 5 min ago by server app-2, with a ttr until in 1 min, put an hour ago. */
    private static boolean fits(String filter) {
        return fits(filter, DATA);
    }

    private static boolean fits(String filter, TaskData data) {
        TaskMeta task = new TaskMeta(
                4711,
                "orders",
                TaskState.TAKEN,
                Optional.of(NOW.plusSeconds(60)),
                5,
                Optional.of("customer-17"),
                Optional.of("order-7781"),
                Optional.of(SESSION),
                Optional.of(NOW.minusSeconds(300)),
                NOW.minusSeconds(3_600),
                Optional.empty(),
                Optional.of(Duration.ofMinutes(6)),
                1,
                4,
                3,
                Optional.of(new TaskFailure("java.sql.SQLTimeoutException", "stock did not answer", "at x")),
                NOW);
        FoundTask found = new FoundTask(task, Optional.of("app-2"), data.contentType(), data.size());
        return TaskFilter.parse(filter).matches(found, () -> data);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "tube:orders",
                "tube:mail,orders",
                "tube:ord*",
                "state:taken",
                "state:Buried,TAKEN",
                "id:4711",
                "id>4710 id<=4711",
                "key:order-7781",
                "key:order-*",
                "key:*",
                "-key:other",
                "utube:*-17",
                "error:SQLTimeout*",
                "error:sqltimeoutexception",
                "error:java.sql.*",
                "error:\"stock did not answer\"",
                "error:*NOT*",
                "failure:" + KIND,
                "failure:0000000000000000," + KIND,
                "-failure:0000000000000000",
                "type:application/json",
                "node:app-2",
                "session:2f9c*",
                "pri<10",
                "pri:5",
                "attempts>=3",
                "taken>3",
                "buried:1",
                "age>10m",
                "age<=1h",
                "age<2h age>PT59M",
                "held>=5m",
                "due<=1m",
                "due>30s",
                "data:*customer*",
                "data.customer.id:42",
                "data.customer.id:42.0",
                "data.customer.id>41 data.customer.id<43",
                "data.customer.id:4*",
                "data.customer.vip:true",
                "data.customer.name:Ann*",
                "data.customer.name:\"Ann, B. \\\"x\\\"\"",
                "data.customer:*",
                "data.weight:9007199254740993",
                "data.price:1.5",
                "data.lines.1.sku:b-*",
                "data.other.deep.1.x:2",
                "data.none:null",
                "-data.missing:*",
                "tube:orders state:taken -error:Other* data.\"customer\".id:1,42 age>10m attempts>=3"
            })
    void a_task_fits(String filter) {
        assertThat(fits(filter)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tube:order",
                "tube:Orders",
                "-tube:orders",
                "state:ready,delayed,buried,done",
                "id:4712",
                "key:order",
                "-key:*",
                "utube:*-18",
                "error:Timeout",
                "failure:0000000000000000",
                "-failure:" + KIND,
                "node:app",
                "attempts>3",
                "age>1h",
                "age<1h",
                "held<5m",
                "due>1m",
                "data.customer.id:43",
                "data.id:42",
                "data.customer.vip:false",
                "data.customer.id<42",
                "data.customer.name>1",
                "data.weight:9007199254740992",
                "data.lines.2.sku:*",
                "data.lines.sku:*",
                "data.customer.id.x:*",
                "data.missing:*",
                "tube:orders state:ready"
            })
    void a_task_does_not_fit(String filter) {
        assertThat(fits(filter)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stock",
                "STOCK",
                "4711",
                "7781",
                "customer-1",
                "sqltimeout",
                "b-7",
                "Ann",
                "\"did not\"",
                "text:stock,x",
                "-nothing",
                "tube:orders stock",
                "did*answer",
                "java.sql"
            })
    void a_word_is_looked_for_in_the_id_key_sub_queue_failure_and_data(String filter) {
        assertThat(fits(filter)).isTrue();
        assertThat(TaskFilter.parse(TaskFilter.parse(filter).toString())).isEqualTo(TaskFilter.parse(filter));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing", "-stock", "app-2", "state:ready stock", "\"stock  did\""})
    void a_word_that_is_nowhere_does_not_fit(String filter) {
        assertThat(fits(filter)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "foo:1 | 'foo:1' names no field; write field:value, such as state:buried; the fields are tube, state",
                "ord:ers | 'ord:ers' names no field",
                "state:ready tub:x | 'tub:x' names no field; write field:value",
                "state:foo | 'foo' is no state; the states are ready, delayed, taken, buried, done",
                "state>ready | 'state>ready' compares by >; state takes :, such as state:buried",
                "tube | 'tube' has no comparison; write one of : < <= > >=, such as tube:orders",
                "tube: | 'tube:' lacks a value; write one, such as tube:orders",
                "tube:a, | 'tube:a,' lacks a value",
                "age:5m | 'age:5m' compares by :; age takes < <= > >=, such as age>10m",
                "age>soon | 'soon' of age is not a duration with a unit, such as 500ms, 1.5s, 10m, 2h or 1d",
                "age>5 | '5' of age is not a duration with a unit, such as 500ms, 1.5s, 10m, 2h or 1d",
                "id:x | 'x' of id is not a whole number",
                "pri>1,2 | 'pri>1,2' compares with 2 values; write one, or a condition for each",
                "failure:2f9c* | '2f9c*' of failure is not the id of a fingerprint, which has 16 digits",
                "failure:2F9C01D45BE7A836 | is not the id of a fingerprint",
                "failure>2f9c01d45be7a836 | compares by >; failure takes :, such as failure:2f9c01d45be7a836",
                "data>1 | only a value inside it is ordered",
                "data.a>x | 'x' of data is not a number, because the comparison orders values",
                "tube.x:y | 'tube.x:y' has a dot where none belongs; only data.customer.id:42",
                "data..a:1 | has a dot where none belongs",
                "key:\"a | 'key:\"a' has no closing quote; add \""
            })
    void a_wrong_condition_is_named_with_its_place_and_a_right_one(String filter, String message) {
        assertThatThrownBy(() -> TaskFilter.parse(filter))
                .isInstanceOf(FilterException.class)
                .hasMessageContaining(message)
                .hasMessageContaining(", at character ");
    }

    @Test
    void the_position_of_a_wrong_condition_is_in_the_exception() {
        assertThatThrownBy(() -> TaskFilter.parse("state:ready  tub:x id:1"))
                .isInstanceOfSatisfying(
                        FilterException.class, e -> assertThat(e.position()).isEqualTo(13))
                .hasMessageEndingWith(", at character 14 of the filter");
    }

    @Test
    void a_filter_with_a_nul_which_databases_refuse_is_refused_at_its_place() {
        assertThatThrownBy(() -> TaskFilter.parse("key:\"a\0b\""))
                .isInstanceOfSatisfying(
                        FilterException.class, e -> assertThat(e.position()).isEqualTo(6))
                .hasMessageContaining("NUL");
    }

    @Test
    void a_filter_that_is_too_long_is_refused_by_its_length() {
        assertThatThrownBy(() -> TaskFilter.parse("x".repeat(2_001)))
                .isInstanceOf(FilterException.class)
                .hasMessageContaining("2001")
                .hasMessageContaining("2000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tube:a,b -state:ready age>10m",
                "key:\"a b\",\"c,d\",\"e\\\"f\",\"g\\\\h\"",
                "key:\"a \\* b\",c\\*,\"d \\\\*\",C:\\dir\\*",
                "data.\"a b\".c:\"\"",
                "key:\":x\",<y"
            })
    void a_filter_is_read_back_from_its_text(String text) {
        TaskFilter filter = TaskFilter.parse(text);
        assertThat(TaskFilter.parse(filter.toString())).isEqualTo(filter);
    }

    @Test
    void a_star_that_is_meant_as_such_is_written_after_a_backslash_with_and_without_quotes() {
        for (String filter : List.of("key:50\\*", "key:\"50\\*\"")) {
            FilterCondition condition =
                    TaskFilter.parse(filter).on(FilterField.KEY).findFirst().orElseThrow();
            assertThat(condition.texts()).as(filter).contains(List.of("50*"));
        }
        assertThat(fits("error:\"stock did \\* answer\"")).isFalse();
        assertThat(fits("error:\"stock did * answer\"")).isTrue();
    }

    @Test
    void hostile_data_has_no_values_inside_and_fails_nothing() {
        for (String data : new String[] {
            "",
            "{",
            "[[",
            "nul",
            "{\"a\":",
            "\u0000",
            "[".repeat(10_000) + "1" + "]".repeat(10_000),
            "{\"a\":1e999999999}"
        }) {
            TaskData hostile = TaskData.of(TaskData.JSON, data.getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertThat(fits("data.a.b:1", hostile)).as(data).isFalse();
            assertThat(fits("data.0.0:1", hostile)).as(data).isFalse();
            assertThat(fits("data.a>5", hostile)).as(data).isFalse();
        }
        assertThat(fits("data.a:1", TaskData.of(TaskData.JSON, new byte[] {(byte) 0xff, (byte) 0xfe})))
                .isFalse();
        assertThat(fits("data.a:1", TaskData.of("{\"a\":1}"))).isFalse();
    }

    @Test
    void many_wildcards_in_a_long_text_take_no_long_time() {
        String text = "a".repeat(4_000);
        assertThat(Wildcard.matches("*a*a*a*a*a*a*a*a*b", text)).isFalse();
        assertThat(Wildcard.matches("*a*a*a*a*a*a*a*a*", text)).isTrue();
    }
}
