package org.tasktube.console.json;

import org.junit.jupiter.api.Test;
import org.tasktube.TaskData;

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
        assertThat(DataView.of(TaskData.of(new byte[] {-1, 0, 65}), false).hex())
                .isEqualTo("ff0041");
        assertThat(DataView.of(TaskData.of("a\0b"), false).hex()).isEqualTo("610062");
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

    @Test
    void secrets_are_hidden_in_data_of_each_type_and_in_data_that_is_not_utf_8() {
        byte[] broken = (SECRET + "?").getBytes(UTF_8);
        broken[broken.length - 1] = -1;
        assertThat(DataView.of(TaskData.of(broken), false).text())
                .contains(Secrets.HIDDEN)
                .doesNotContain("\"x\"");
        assertThat(DataView.of(TaskData.of("log: " + SECRET), false).masked()).isTrue();
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
