package org.tasktube.console.json;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.tasktube.TaskData;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** The beginning of a task's data in a row of a list. */
class BeginningOfDataTest {

    private static String whole(String text, boolean sees) {
        TaskData data = TaskData.of(TaskData.JSON, text.getBytes(UTF_8));
        return DataView.line(data, data.size(), sees);
    }

    private static String cut(String text, int bytes, boolean sees) {
        byte[] all = text.getBytes(UTF_8);
        return DataView.line(TaskData.of(TaskData.JSON, Arrays.copyOf(all, bytes)), all.length, sees);
    }

    @Test
    void it_is_one_line_of_80_characters_at_most() {
        assertThat(whole(" {\n  \"order\":\t7 }", true)).isEqualTo("{ \"order\": 7 }");
        assertThat(whole("x".repeat(100), true)).isEqualTo("x".repeat(80));
        assertThat(whole("x".repeat(79) + "\ud83d\ude00", true)).isEqualTo("x".repeat(79));
        assertThat(whole("", true)).isEmpty();
    }

    @Test
    void a_character_that_is_cut_is_left_out() {
        for (int bytes = 1; bytes <= 8; bytes++) {
            assertThat(cut("\ud83d\ude00\ud83d\ude00x", bytes, true))
                    .isEqualTo(bytes == 8 ? "\ud83d\ude00\ud83d\ude00" : bytes >= 4 ? "\ud83d\ude00" : "");
        }
        assertThat(DataView.line(TaskData.of("a/b", new byte[] {1, (byte) 0xff, 3, 4, 5}), 5, true))
                .isNull();
    }

    @Test
    void a_user_who_does_not_see_secrets_sees_whole_json_with_hidden_values_only() {
        assertThat(whole("{\"order\":7,\"password\":\"x\"}", false))
                .contains("\"order\":7")
                .contains(Secrets.HIDDEN)
                .doesNotContain("\"x\"");
        assertThat(whole("{\"order\":7}", false)).isEqualTo("{\"order\":7}");
        assertThat(whole("password=x", false)).isNull();
        assertThat(cut("{\"order\":7,\"password\":\"x\"}", 11, false)).isNull();
        assertThat(cut("{\"order\":7,\"password\":\"x\"}", 10, true)).isEqualTo("{\"order\":7");
    }
}
