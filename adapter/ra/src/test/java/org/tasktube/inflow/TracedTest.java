package org.tasktube.inflow;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.OnConflict;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDrainingException;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tracing.ServerTracing;
import org.tasktube.tracing.Spans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** One trace leads from a put to the bean that works on the task, and further to its own puts. */
@Timeout(60)
class TracedTest {

    private static final String FOREIGN = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private static String put(Tube tube) {
        return "put " + tube.name();
    }

    private static String process(Tube tube) {
        return "process " + tube.name();
    }

    /** The header of a span that is sampled. */
    private static String header(SpanData span) {
        return "00-" + span.getTraceId() + "-" + span.getSpanId() + "-01";
    }

    private static List<String> links(SpanData span) {
        return span.getLinks().stream()
                .map(LinkData::getSpanContext)
                .map(linked -> "00-" + linked.getTraceId() + "-" + linked.getSpanId() + "-01")
                .toList();
    }

    private static void assertChild(SpanData child, SpanData parent) {
        assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
        assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
    }

    // One story

    @ParameterizedTest
    @DatabaseSource
    void a_put_its_delivery_and_the_puts_of_the_bean_are_one_trace(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            Tube next = adapter.newTube();
            adapter.activate(new Bean(task -> next.put("second")));
            assertOneStory(spans, adapter.tube(), next, adapter.tube().put("first"));
        }
    }

    @Test
    void temporary_tubes_are_traced_alike() {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(TestDatabase.H2, spans.tracing())) {
            Tube tube = adapter.newTemporaryTube();
            Tube next = adapter.newTemporaryTube();
            adapter.activate(new Bean(task -> next.put("second")), spec -> spec.setTube(tube.name()));
            assertOneStory(spans, tube, next, tube.put("first"));
        }
    }

    private static void assertOneStory(Spans spans, Tube tube, Tube next, Task first) {
        SpanData put = spans.await(put(tube));
        SpanData delivery = spans.await(process(tube));
        SpanData second = spans.await(put(next));
        assertThat(first.headers()).containsExactly(Map.entry("traceparent", header(put)));
        assertThat(put.getParentSpanContext().isValid()).isFalse();
        assertChild(delivery, put);
        assertThat(links(delivery)).containsExactly(header(put));
        assertChild(second, delivery);
        // Read by a client, which makes no span
        Task taken = next.take(Duration.ofMinutes(2)).orElseThrow();
        assertThat(taken.headers()).containsEntry("traceparent", header(second));
        assertThat(spans.all()).hasSize(3);
    }

    @ParameterizedTest
    @DatabaseSource
    void spans_have_the_attributes_of_the_conventions(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            adapter.activate(new Bean(task -> {}));
            Task task = adapter.tube().put("x");
            SpanData put = spans.await(put(adapter.tube()));
            SpanData delivery = spans.await(process(adapter.tube()));
            assertThat(attributes(put))
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            "messaging.system", "tasktube",
                            "messaging.destination.name", adapter.tube().name(),
                            "messaging.operation.name", "put",
                            "messaging.operation.type", "send",
                            "messaging.message.id", task.id() + ""));
            assertThat(attributes(delivery))
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            "messaging.system", "tasktube",
                            "messaging.destination.name", adapter.tube().name(),
                            "messaging.operation.name", "process",
                            "messaging.operation.type", "process",
                            "messaging.message.id", task.id() + "",
                            "tasktube.attempts", "1",
                            "tasktube.result", "acked"));
            assertThat(put.getKind()).isEqualTo(SpanKind.PRODUCER);
            assertThat(delivery.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(delivery.getInstrumentationScopeInfo().getName()).isEqualTo("org.tasktube");
            assertThat(delivery.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_batch_is_one_span_of_a_trace_of_its_own_with_a_link_to_each_put(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            adapter.tube().put("x");
            adapter.tube().put("y");
            adapter.activateBatches(Bean.ofBatches(tasks -> {}), spec -> spec.setMaxSession("1"));
            SpanData delivery = spans.await(process(adapter.tube()));
            assertThat(attributes(delivery))
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            "messaging.system", "tasktube",
                            "messaging.destination.name", adapter.tube().name(),
                            "messaging.operation.name", "process",
                            "messaging.operation.type", "process",
                            "messaging.batch.message_count", "2",
                            "tasktube.result", "acked"));
            List<SpanData> puts = spans.all().stream()
                    .filter(span -> span.getName().equals(put(adapter.tube())))
                    .toList();
            assertThat(delivery.getLinks())
                    .extracting(link -> link.getSpanContext().getSpanId())
                    .containsExactly(puts.get(0).getSpanId(), puts.get(1).getSpanId());
            assertThat(puts).extracting(SpanData::getTraceId).doesNotContain(delivery.getTraceId());
        }
    }

    private static Map<String, String> attributes(SpanData span) {
        return span.getAttributes().asMap().entrySet().stream()
                .collect(Collectors.toMap(
                        each -> each.getKey().getKey(), each -> each.getValue().toString()));
    }

    // Failures

    @ParameterizedTest
    @DatabaseSource
    void each_attempt_has_a_span_and_a_failed_one_has_the_class_of_its_exception(TestDatabase kind) {
        AtomicInteger calls = new AtomicInteger();
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            adapter.activate(new Bean(task -> {
                if (calls.incrementAndGet() == 1) {
                    throw new IllegalArgumentException("no such customer");
                }
            }));
            adapter.tube().put("x");
            List<SpanData> both = spans.await(process(adapter.tube()), 2);
            SpanData put = spans.await(put(adapter.tube()));
            assertThat(both).allSatisfy(each -> {
                assertChild(each, put);
                assertThat(links(each)).containsExactly(header(put));
            });
            assertFailed(both.get(0), "failed", IllegalArgumentException.class.getName(), "no such customer");
            assertThat(Spans.number(both.get(0), "tasktube.attempts")).isEqualTo(1);
            assertThat(both.get(0).getEvents()).singleElement().satisfies(event -> {
                assertThat(event.getName()).isEqualTo("exception");
                assertThat(event.getAttributes().get(AttributeKey.stringKey("exception.stacktrace")))
                        .contains("IllegalArgumentException: no such customer", "frames of the container");
            });
            assertThat(Spans.number(both.get(1), "tasktube.attempts")).isEqualTo(2);
            assertThat(Spans.text(both.get(1), "tasktube.result")).isEqualTo("acked");
        }
    }

    private static void assertFailed(SpanData span, String result, String type, String description) {
        assertThat(Spans.text(span, "tasktube.result")).isEqualTo(result);
        assertThat(Spans.text(span, "error.type")).isEqualTo(type);
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getStatus().getDescription()).contains(description);
    }

    @ParameterizedTest
    @DatabaseSource
    void a_rollback_without_an_exception_ends_the_span_as_failed(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            adapter.activate(new Bean(task -> Jta.MANAGER.setRollbackOnly()), spec -> spec.setMaxAttempts("1"));
            adapter.awaitBuried(adapter.tube().put("x"));
            assertFailed(
                    spans.await(process(adapter.tube())), "failed", Delivery.RolledBackException.class.getName(), "");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_failed_commit_ends_the_span_as_failed(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            AtomicInteger ends = new AtomicInteger();
            Bean bean = new Bean(task -> {}).withFaults(step -> {
                if (step == Bean.Step.AFTER && ends.incrementAndGet() == 1) {
                    throw new IllegalStateException("after the delivery");
                }
            });
            adapter.activate(bean, spec -> spec.setGatherAcks("false"));
            adapter.tube().put("x");
            assertFailed(
                    spans.await(process(adapter.tube())),
                    "failed",
                    IllegalStateException.class.getName(),
                    "after the delivery");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_task_that_was_deleted_while_the_bean_worked_ends_the_span_as_lost(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            Bean bean = new Bean(task -> {
                var mine = Jta.MANAGER.suspend();
                adapter.tube().delete(task.id());
                Jta.MANAGER.resume(mine);
            });
            adapter.activate(bean, spec -> spec.setGatherAcks("false"));
            adapter.tube().put("x");
            assertFailed(spans.await(process(adapter.tube())), "lost", "lost", "the task had another holder");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_refused_put_has_a_span_with_the_class_of_its_exception(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            adapter.tube().drain("closing");
            assertThatThrownBy(() -> adapter.tube().put("x")).isInstanceOf(TubeDrainingException.class);
            SpanData put = spans.await(put(adapter.tube()));
            assertThat(Spans.text(put, "error.type")).isEqualTo(TubeDrainingException.class.getName());
            assertThat(put.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_that_is_rolled_back_leaves_its_span(TestDatabase kind) throws Exception {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            Jta.MANAGER.begin();
            Task task = adapter.tube().put("x");
            Jta.MANAGER.rollback();
            assertThat(adapter.tube().peek(task.id())).isEmpty();
            assertThat(Spans.text(spans.await(put(adapter.tube())), "messaging.message.id"))
                    .isEqualTo(task.id() + "");
        }
    }

    // Headers

    @ParameterizedTest
    @DatabaseSource
    void a_trace_that_the_application_has_set_stays_and_both_spans_are_linked_to_it(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            adapter.activate(new Bean(task -> {}));
            Task task = adapter.tube().put("x", PutOptions.defaults().header("traceparent", FOREIGN));
            assertThat(task.headers()).containsExactly(Map.entry("traceparent", FOREIGN));
            assertThat(links(spans.await(put(adapter.tube())))).containsExactly(FOREIGN);
            SpanData delivery = spans.await(process(adapter.tube()));
            assertThat(links(delivery)).containsExactly(FOREIGN);
            assertThat(delivery.getTraceId()).isEqualTo(FOREIGN.split("-", -1)[1]);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_header_that_is_no_trace_begins_a_new_one(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            adapter.activate(new Bean(task -> {}));
            adapter.tube().put("x", PutOptions.defaults().header("traceparent", "00-nonsense"));
            SpanData delivery = spans.await(process(adapter.tube()));
            assertThat(delivery.getLinks()).isEmpty();
            assertThat(delivery.getParentSpanContext().isValid()).isFalse();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void headers_without_room_for_a_trace_stay_as_they_are_and_the_span_says_so(TestDatabase kind) {
        Map<String, String> full =
                IntStream.range(0, PutOptions.MAX_HEADERS).boxed().collect(Collectors.toMap(i -> "h" + i, i -> "v"));
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            Task task = adapter.tube().put("x", PutOptions.defaults().headers(full));
            assertThat(task.headers()).isEqualTo(full);
            assertThat(Spans.number(spans.await(put(adapter.tube())), "tasktube.untraced"))
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void tasks_that_are_put_together_have_one_span_and_the_same_trace(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            List<Task> tasks = adapter.tube()
                    .putAll(List.of(
                            PutItem.of("a"),
                            PutItem.of("b", PutOptions.defaults().header("k", "v")),
                            PutItem.of("c", PutOptions.defaults().header("traceparent", FOREIGN))));
            SpanData put = spans.await(put(adapter.tube()));
            assertThat(tasks.get(0).headers()).isEqualTo(Map.of("traceparent", header(put)));
            assertThat(tasks.get(1).headers()).isEqualTo(Map.of("k", "v", "traceparent", header(put)));
            assertThat(tasks.get(2).headers()).isEqualTo(Map.of("traceparent", FOREIGN));
            assertThat(links(put)).containsExactly(FOREIGN);
            assertThat(Spans.number(put, "messaging.batch.message_count")).isEqualTo(3);
            assertThat(spans.all()).hasSize(1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_unique_task_that_exists_keeps_its_trace(TestDatabase kind) {
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            Task first = adapter.tube().putUnique("k", "x", PutOptions.defaults(), OnConflict.KEEP);
            Task second = adapter.tube().putUnique("k", "x", PutOptions.defaults(), OnConflict.KEEP);
            List<SpanData> puts = spans.await(put(adapter.tube()), 2);
            assertThat(second.headers()).isEqualTo(first.headers()).containsEntry("traceparent", header(puts.get(0)));
            assertThat(puts)
                    .extracting(each -> Spans.text(each, "messaging.message.id"))
                    .containsOnly(first.id() + "");
        }
    }

    // Foreign code

    @ParameterizedTest
    @DatabaseSource
    void a_span_that_a_bean_leaves_current_ends_with_its_delivery(TestDatabase kind) {
        List<Boolean> clean = new CopyOnWriteArrayList<>();
        try (Spans spans = new Spans();
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            adapter.activate(
                    new Bean(task -> {
                                leaveCurrent(spans.openTelemetry()
                                        .getTracer("bean")
                                        .spanBuilder("left")
                                        .startSpan());
                            })
                            .withFaults(step -> {
                                if (step == Bean.Step.RELEASE) {
                                    clean.add(Context.current() == Context.root());
                                }
                            }),
                    spec -> spec.setMaxSession("1"));
            adapter.tube().put("a");
            adapter.tube().put("b");
            List<SpanData> puts = spans.await(put(adapter.tube()), 2);
            List<SpanData> deliveries = spans.await(process(adapter.tube()), 2);
            assertChild(deliveries.get(0), puts.get(0));
            assertChild(deliveries.get(1), puts.get(1));
        }
        assertThat(clean).isNotEmpty().doesNotContain(false);
    }

    @SuppressWarnings("MustBeClosedChecker") // as careless applications do
    private static void leaveCurrent(Span span) {
        Scope unused = span.makeCurrent();
    }

    private static final class Failing implements SpanProcessor {

        @Override
        public void onStart(Context parent, ReadWriteSpan span) {
            throw new IllegalStateException("at the start of a span");
        }

        @Override
        public boolean isStartRequired() {
            return true;
        }

        @Override
        public void onEnd(ReadableSpan span) {
            throw new IllegalStateException("at the end of a span");
        }

        @Override
        public boolean isEndRequired() {
            return true;
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_failure_of_the_tracing_fails_neither_a_put_nor_a_delivery(TestDatabase kind) {
        try (LogLines log = new LogLines("org.tasktube.tracing");
                Spans spans = new Spans(new Failing());
                RunningAdapter adapter = new RunningAdapter(kind, spans.tracing())) {
            adapter.activate(new Bean(task -> {}));
            adapter.awaitRemoved(adapter.tube().put("x"));
            assertThat(log.of("TASKTUBE0141")).singleElement().asString().contains("OpenTelemetry failed", "of a span");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void without_opentelemetry_no_header_is_written(TestDatabase kind) {
        for (var tracing : List.of(ServerTracing.NONE, Spans.ofNoApplication())) {
            List<Task> seen = new CopyOnWriteArrayList<>();
            try (RunningAdapter adapter = new RunningAdapter(kind, tracing)) {
                adapter.activate(new Bean(seen::add));
                Task task = adapter.tube().put("x");
                adapter.awaitRemoved(task);
                assertThat(task.headers()).isEmpty();
                assertThat(seen).extracting(Task::headers).containsExactly(Map.of());
            }
        }
    }
}
