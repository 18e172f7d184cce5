package org.tasktube.console.json;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tasktube.TaskData;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

class DataViewTest {

    private static final String SECRET = "{\"password\":\"x\",\"id\":9007199254740993}";

    @Test
    void text_is_shown_as_it_is() {
        DataView view = DataView.of(TaskData.of("<script>"), true);
        assertThat(view).isEqualTo(new DataView(TaskData.TEXT, 8, "<script>", null, false, false));
    }

    @Test
    void bytes_that_are_no_text_are_shown_in_hexadecimal() {
        assertThat(DataView.of(TaskData.of(new byte[] {-1, 0, 65}), true).hex()).isEqualTo("ff0041");
        assertThat(DataView.of(TaskData.of("a\0b"), true).hex()).isEqualTo("610062");
        DataView large = DataView.of(TaskData.of(new byte[1 << 20]), true);
        assertThat(large.hex()).hasSize(2 * DataView.MAX_HEX);
        assertThat(large.truncated()).isTrue();
    }

    @Test
    void long_text_is_cut_between_characters() {
        DataView view = DataView.of(TaskData.of("a" + "😀".repeat(DataView.MAX_TEXT)), true);
        assertThat(view.text()).hasSize(DataView.MAX_TEXT - 1).endsWith("😀");
        assertThat(view.truncated()).isTrue();
    }

    @Test
    void only_a_user_with_the_right_sees_secrets() {
        TaskData data = TaskData.of(TaskData.JSON, SECRET.getBytes(UTF_8));
        assertThat(DataView.of(data, true).text()).isEqualTo(SECRET);
        DataView hidden = DataView.of(data, false);
        assertThat(hidden.text()).doesNotContain("\"x\"").contains("9007199254740993");
        assertThat(hidden.masked()).isTrue();
    }

    /** Names in it cannot be found. */
    @Test
    void of_data_that_is_no_json_only_a_user_with_the_right_sees_more_than_the_size() {
        byte[] broken = (SECRET + "?").getBytes(UTF_8);
        broken[broken.length - 1] = -1;
        for (TaskData data : List.of(
                TaskData.of(broken),
                TaskData.of(SECRET.getBytes(UTF_16)),
                TaskData.of("user=a&pwd=x"),
                TaskData.of("log: " + SECRET))) {
            assertThat(DataView.of(data, false))
                    .isEqualTo(new DataView(data.contentType(), data.size(), null, null, false, true));
        }
        assertThat(DataView.of(TaskData.of("log: " + SECRET), true).text()).contains("password");
    }

    @Test
    void secrets_behind_the_cut_are_not_shown_and_those_before_it_are_hidden() {
        String text = "{\"secret\":\"x\",\"a\":\"" + "y".repeat(DataView.MAX_TEXT) + "\",\"token\":\"z\"}";
        assertThat(DataView.of(TaskData.of(text), false).text())
                .hasSize(DataView.MAX_TEXT)
                .doesNotContain("\"x\"")
                .doesNotContain("\"z\"");
    }
}
