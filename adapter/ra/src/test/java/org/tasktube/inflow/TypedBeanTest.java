package org.tasktube.inflow;

import jakarta.json.bind.annotation.JsonbSubtype;
import jakarta.json.bind.annotation.JsonbTypeInfo;
import jakarta.resource.NotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.TypedTaskListener;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A bean that gets the data of its tasks as objects. */
class TypedBeanTest {

    public record OrderPlaced(long order) {}

    /** As an application may have above its beans. */
    abstract static class Recording<D, T> implements TypedTaskListener<T> {

        final List<T> got = new CopyOnWriteArrayList<>();

        @Override
        public void onTask(T data, Task task) {
            got.add(data);
        }
    }

    static class Shipping extends Recording<String, OrderPlaced> {}

    static class Texts extends Recording<Integer, String> {}

    static class Lists extends Recording<String, List<OrderPlaced>> {}

    @SuppressWarnings("rawtypes")
    static class Untyped extends Recording {}

    /** What the events of a shop have in common. */
    @JsonbTypeInfo({
        @JsonbSubtype(alias = "placed", type = Placed.class),
        @JsonbSubtype(alias = "paid", type = Paid.class)
    })
    public sealed interface Event permits Placed, Paid {}

    public record Placed(long order) implements Event {}

    public record Paid(long order, long cents) implements Event {}

    static class Events extends Recording<String, Event> {}

    @ParameterizedTest
    @DatabaseSource
    void gets_what_was_put(TestDatabase kind) {
        Shipping shipping = new Shipping();
        Texts texts = new Texts();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activateTyped(Bean.ofData(shipping));
            adapter.tube().put(new OrderPlaced(7));
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "it is done");
        }
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activateTyped(Bean.ofData(texts));
            adapter.tube().put("plain");
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "it is done");
        }
        assertThat(shipping.got).containsExactly(new OrderPlaced(7));
        assertThat(texts.got).containsExactly("plain");
    }

    @ParameterizedTest
    @DatabaseSource
    void gets_several_kinds_by_what_they_have_in_common(TestDatabase kind) {
        Events events = new Events();
        List<Event> put = List.of(new Placed(7), new Paid(7, 1999));
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activateTyped(Bean.ofData(events));
            put.forEach(adapter.tube()::put);
            Eventually.holds(() -> adapter.tube().statistics().total() == 0, "they are done");
        }
        assertThat(new ArrayList<>(events.got)).hasSameElementsAs(put);
    }

    @ParameterizedTest
    @DatabaseSource
    void data_of_another_type_is_buried_at_once_and_the_bean_is_not_called(TestDatabase kind) {
        Shipping shipping = new Shipping();
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activateTyped(Bean.ofData(shipping));
            Task task = adapter.tube().put("no object");
            Eventually.holds(() -> adapter.tube().statistics().buried() == 1, "it is buried");
            assertThat(adapter.tube().meta(task.id()).orElseThrow()).satisfies(meta -> {
                assertThat(meta.state()).isEqualTo(TaskState.BURIED);
                assertThat(meta.attempts()).isEqualTo(1);
                assertThat(meta.lastFailure().orElseThrow().message()).contains(OrderPlaced.class.getName());
            });
        }
        assertThat(shipping.got).isEmpty();
    }

    @Test
    void a_bean_whose_type_is_no_class_is_refused_by_its_name() {
        assertThatThrownBy(() -> DataType.of(Lists.class))
                .isInstanceOf(NotSupportedException.class)
                .hasMessageContaining("Lists")
                .hasMessageContaining("List<");
        assertThatThrownBy(() -> DataType.of(Untyped.class))
                .isInstanceOf(NotSupportedException.class)
                .hasMessageContaining("TypedTaskListener<OrderPlaced>");
        assertThatThrownBy(() -> DataType.of(null)).isInstanceOf(NotSupportedException.class);
    }
}
