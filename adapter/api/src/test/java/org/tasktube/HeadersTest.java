package org.tasktube;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The headers of options and of a task keep their order and cannot be changed. */
class HeadersTest {

    private static Task task(Map<String, String> headers) {
        return new Task(1, "a", TaskState.READY, 0, 0, 0, Optional.empty(), headers, TaskData.of("x"));
    }

    @Test
    void a_header_is_added_at_the_end_and_one_of_the_same_name_gets_the_new_value() {
        PutOptions options =
                PutOptions.defaults().header("b", "1").header("a", "2").header("b", "3");
        assertThat(options.headers()).containsExactly(entry("b", "3"), entry("a", "2"));
        assertThat(PutOptions.defaults().headers()).isEmpty();
    }

    @Test
    void headers_replace_all_that_were_set() {
        PutOptions options = PutOptions.defaults().header("a", "1").headers(Map.of("b", "2"));
        assertThat(options.headers()).containsExactly(entry("b", "2"));
        assertThat(options.headers(Map.of())).isEqualTo(PutOptions.defaults());
    }

    @Test
    void each_other_option_keeps_the_headers() {
        PutOptions options = PutOptions.defaults()
                .header("a", "1")
                .pri(1)
                .ttl(Duration.ofSeconds(1))
                .ttr(Duration.ofSeconds(1))
                .delay(Duration.ofSeconds(1))
                .utube("u")
                .asUrgent();
        assertThat(options.headers()).containsExactly(entry("a", "1"));
    }

    @Test
    void a_later_change_of_the_map_changes_neither_options_nor_task() {
        Map<String, String> map = new LinkedHashMap<>(Map.of("a", "1"));
        PutOptions options = PutOptions.defaults().headers(map);
        Task task = task(map);
        map.put("b", "2");
        assertThat(options.headers()).containsOnlyKeys("a");
        assertThat(task.headers()).containsOnlyKeys("a");
        assertThatThrownBy(() -> options.headers().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> task.headers().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_serialized_task_keeps_them_in_order() throws Exception {
        Map<String, String> headers = new LinkedHashMap<>(Map.of("b", "1"));
        headers.put("a", "2");
        Task copy = (Task) serialized(task(headers));
        assertThat(copy).isEqualTo(task(headers));
        assertThat(copy.headers()).containsExactly(entry("b", "1"), entry("a", "2"));
        assertThat(((Task) serialized(task(Map.of()))).headers()).isEmpty();
    }

    private static Object serialized(Object value) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }
}
