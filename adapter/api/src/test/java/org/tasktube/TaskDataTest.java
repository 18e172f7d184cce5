package org.tasktube;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TaskDataTest {

    public record Order(int id, String customer) {
        // JSON-B 3.0 makes records by a creator only
        @jakarta.json.bind.annotation.JsonbCreator
        public Order {}
    }

    @Test
    void text_stays_text() {
        TaskData data = TaskData.of("grüße");
        assertThat(data.contentType()).isEqualTo(TaskData.TEXT);
        assertThat(data.as(String.class)).isEqualTo("grüße");
    }

    @Test
    void bytes_stay_bytes_and_cannot_be_changed_from_outside() {
        byte[] put = {1, 2, 3};
        TaskData data = TaskData.of(put);
        put[0] = 9;
        data.bytes()[1] = 9;
        assertThat(data.as(byte[].class)).containsExactly(1, 2, 3);
    }

    @Test
    void an_object_goes_in_and_out_as_json() {
        TaskData data = TaskData.of(new Order(7, "Ada"));
        assertThat(data.contentType()).isEqualTo(TaskData.JSON);
        assertThat(data.as(Order.class)).isEqualTo(new Order(7, "Ada"));
        assertThat(TaskData.of(new int[] {1, 2}).as(int[].class)).containsExactly(1, 2);
    }

    private static final class Secretive {
        private final String customer = "Ada";

        @Override
        public String toString() {
            return customer;
        }
    }

    public static final class Empty {}

    public static final class Named {
        private String name;

        public String getName() {
            return name;
        }
    }

    @Test
    void an_object_whose_state_json_would_not_have_is_refused() {
        Runnable lambda = () -> {};
        String text = "x";
        java.util.function.Supplier<String> capturing = () -> text;
        for (Object hidden : new Object[] {
            new Secretive(),
            lambda,
            capturing,
            new java.io.ByteArrayInputStream(new byte[1]),
            java.util.stream.Stream.of(1)
        }) {
            assertThatThrownBy(() -> TaskData.of(hidden))
                    .isInstanceOf(TaskDataException.class)
                    .hasMessageContaining(hidden.getClass().getName());
        }
    }

    @Test
    void an_object_without_state_or_whose_properties_are_all_null_is_an_empty_object() {
        for (Object empty : new Object[] {new Empty(), new Named(), java.util.Map.of()}) {
            assertThat(new String(TaskData.of(empty).bytes(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("{}");
        }
    }

    public static class Node {
        public Node next;
        public java.util.List<Object> others = new java.util.ArrayList<>();
    }

    @Test
    void an_object_that_refers_to_itself_is_an_error_that_names_the_type() {
        Node node = new Node();
        node.next = new Node();
        node.next.next = node;
        assertThatThrownBy(() -> TaskData.of(node))
                .isInstanceOf(TaskDataException.class)
                .hasMessageContaining(Node.class.getName());
    }

    @Test
    void a_list_that_contains_itself_is_an_error_that_names_the_type() {
        java.util.List<Object> list = new java.util.ArrayList<>();
        list.add(list);
        assertThatThrownBy(() -> TaskData.of(list))
                .isInstanceOf(TaskDataException.class)
                .hasMessageContaining("ArrayList");
    }

    @Test
    void json_too_deep_to_read_is_an_error_that_names_the_type() {
        String deep = "{\"next\":".repeat(100_000) + "null" + "}".repeat(100_000);
        TaskData data = TaskData.of(TaskData.JSON, deep.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThatThrownBy(() -> data.as(Node.class))
                .isInstanceOf(TaskDataException.class)
                .hasMessageContaining(Node.class.getName());
    }

    public static class Unreadable {
        public int getNumber() {
            throw new ArithmeticException("no number");
        }
    }

    @Test
    void a_getter_that_throws_is_an_error_that_names_the_type() {
        assertThatThrownBy(() -> TaskData.of(new Unreadable()))
                .isInstanceOf(TaskDataException.class)
                .hasMessageContaining(Unreadable.class.getName());
    }

    @Test
    void json_that_does_not_map_is_an_error_that_names_the_type() {
        assertThatThrownBy(() -> TaskData.json(new int[] {1}).as(Order.class))
                .isInstanceOf(TaskDataException.class)
                .hasMessageContaining(Order.class.getName());
    }

    @Test
    void text_is_not_read_as_an_object() {
        assertThatThrownBy(() -> TaskData.of("{}").as(Order.class))
                .isInstanceOf(TaskDataException.class)
                .hasMessageContaining("text/plain");
    }

    @Test
    void no_data_is_an_error_that_says_what_to_put() {
        assertThatThrownBy(() -> TaskData.of(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("empty text");
    }

    @Test
    void its_text_form_does_not_show_the_data() {
        assertThat(TaskData.of("secret")).hasToString("text/plain, 6 bytes");
    }

    @Test
    void a_content_type_with_a_nul_which_databases_refuse_is_refused() {
        assertThatThrownBy(() -> TaskData.of("text/\0plain", new byte[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without NUL");
    }
}
