package org.tasktube.rules;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tasktube.OnConflict;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskChange;
import org.tasktube.TaskData;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeEvent;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.state;
import static org.tasktube.rules.Scenario.take;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;
import static org.tasktube.spi.TubeOption.UTUBE;

/** The headers of tasks. */
final class HeaderRules extends RuleGroup {

    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Override
    String heading() {
        return "Headers";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule(
                        "The headers of a put are in every take, peek and list, in the order of put",
                        this::every_answer_has_them),
                rule(
                        "A task that is put without headers has none. The headers of a task cannot be changed",
                        this::none_are_an_empty_map),
                rule(
                        "Release, requeue, bury, kick, dig, the end of a session and an ack with a result keep the"
                                + " headers",
                        this::moves_keep_them),
                rule("The ends of delay and ttr keep the headers", this::the_ends_of_times_keep_them)
                        .needs(TTR, DELAY),
                rule("putAll can have headers for each task", this::put_all_has_them_for_each),
                rule(
                        "putUnique with KEEP keeps the headers of the existing task, and with REPLACE sets those of"
                                + " the put",
                        this::put_unique_keeps_or_replaces_them),
                rule(
                        "The default key of putUnique does not depend on the headers",
                        this::the_default_key_is_of_the_data_only),
                rule(
                        "32 headers with 4 KiB of names and values come out exactly as put, in any characters",
                        this::the_largest_headers_come_out_exactly),
                rule(
                        "A put with a header that is out of its bounds, or whose name is reserved for TaskTube, fails",
                        this::others_are_refused),
                rule("A rollback undoes the headers of a put and of a REPLACE", this::a_rollback_undoes_them)
                        .only(Mode.IN_JTA, "no rollback outside a transaction"),
                rule("Listeners, callbacks and beans alike, see the headers with each event", this::listeners_see_them),
                rule("The end of a ttl notifies listeners with the headers", this::the_end_of_a_ttl_has_them)
                        .needs(TTL),
                rule("Another server takes a task with its headers", this::another_server_takes_them)
                        .onTwoServers());
    }

    private static PutOptions traced() {
        return with().header("traceparent", TRACE).header("a.b", "").header("X-1_", "Grüße \"\\\n€");
    }

    private static void isTraced(Task task) {
        assertThat(task.headers())
                .containsExactly(entry("traceparent", TRACE), entry("a.b", ""), entry("X-1_", "Grüße \"\\\n€"));
    }

    private static void isTraced(Tube tube, long id) {
        isTraced(tube.peek(id).orElseThrow());
    }

    private static Task tracedTake(Tube tube) {
        Task task = take(tube);
        isTraced(task);
        return task;
    }

    private void every_answer_has_them(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.put("a", traced());
        isTraced(put);
        isTraced(tube, put.id());
        isTraced(tube.peekReady().orElseThrow());
        isTraced(tube.tasks(TaskState.READY, 0, 1).get(0));
        Task taken = tracedTake(tube);
        isTraced(tube.tasks(TaskState.TAKEN, 0, 1).get(0));
        tube.bury(taken);
        isTraced(tube.peekBuried().orElseThrow());
        tube.kick();
        isTraced(tube.take(5, ZERO).get(0));
        if (scenario.has(DELAY)) {
            isTraced(tube.put("b", traced().delay(ofMinutes(1))));
            isTraced(tube.peekDelayed().orElseThrow());
        }
        if (scenario.has(UTUBE)) {
            tube.put("c", traced().utube("u"));
            tracedTake(tube);
        }
    }

    private void none_are_an_empty_map(Scenario scenario) {
        Tube tube = scenario.tube();
        assertThat(tube.put("a").headers()).isEmpty();
        tube.put("b", with().headers(Map.of()));
        assertThat(tube.take(2, ZERO)).hasSize(2).allSatisfy(task -> assertThat(task.headers())
                .isEmpty());
        Task traced = tube.put("c", traced());
        assertThatThrownBy(() -> traced.headers().put("a", "b")).isInstanceOf(UnsupportedOperationException.class);
        Map<String, String> taken = take(tube).headers();
        assertThatThrownBy(taken::clear).isInstanceOf(UnsupportedOperationException.class);
        assertThat(taken).isEqualTo(traced.headers());
    }

    private void moves_keep_them(Scenario scenario) {
        Tube tube = scenario.tube();
        long id = tube.put("a", traced()).id();
        tube.release(tracedTake(tube));
        tube.requeue(tracedTake(tube));
        tube.bury(tracedTake(tube));
        tube.kick();
        isTraced(tube, id);
        tube.bury(id);
        tube.dig(id);
        isTraced(tube, id);
        try (TubeConnection other = scenario.connect()) {
            tracedTake(other.tube(tube.name()));
        }
        Eventually.holds(() -> state(tube, id) == TaskState.READY, "the end of the session released the task");
        tracedTake(tube);
        tube.releaseAll();
        tube.ack(tracedTake(tube), TaskResult.completed("done"));
        isTraced(tube, id);
        isTraced(tube.tasks(TaskState.DONE, 0, 1).get(0));
    }

    private void the_ends_of_times_keep_them(Scenario scenario) {
        Tube tube = scenario.tube();
        long id = tube.put("a", traced().delay(ofMillis(30)).ttr(ofMillis(30))).id();
        isTraced(tube.take(Scenario.LONG).orElseThrow());
        Eventually.holds(() -> state(tube, id) == TaskState.READY, "the ttr is over");
        isTraced(tube, id);
        tracedTake(tube);
    }

    private void put_all_has_them_for_each(Scenario scenario) {
        Tube tube = scenario.tube();
        List<Task> put = tube.putAll(List.of(
                PutItem.of("a", with().header("n", "1")), PutItem.of("b"), PutItem.of("c", with().header("n", "3"))));
        List<Map<String, String>> expected = List.of(Map.of("n", "1"), Map.of(), Map.of("n", "3"));
        assertThat(put).extracting(Task::headers).containsExactlyElementsOf(expected);
        assertThat(put)
                .extracting(task -> tube.peek(task.id()).orElseThrow().headers())
                .containsExactlyElementsOf(expected);
        tube.putAll(List.of("d", "e"), traced()).forEach(task -> isTraced(tube, task.id()));
    }

    private void put_unique_keeps_or_replaces_them(Scenario scenario) {
        Tube tube = scenario.tube();
        PutOptions other = with().header("other", "value");
        long id = tube.putUnique("key", "a", traced(), OnConflict.FAIL).id();
        isTraced(tube.putUnique("key", "b", other, OnConflict.KEEP));
        Task replaced = tube.putUnique("key", "b", other, OnConflict.REPLACE);
        assertThat(replaced.id()).isEqualTo(id);
        assertThat(replaced.headers()).containsExactly(entry("other", "value"));
        assertThat(tube.putUnique("key", "c", with(), OnConflict.REPLACE).headers())
                .isEmpty();
        tube.putUnique("key", "d", traced(), OnConflict.REPLACE);
        tracedTake(tube);
        isTraced(tube.putUnique("key", "e", other, OnConflict.REPLACE));
    }

    private void the_default_key_is_of_the_data_only(Scenario scenario) {
        Tube tube = scenario.tube();
        Task first = tube.putUnique(TaskData.of("a").digest(), "a", traced(), OnConflict.FAIL);
        assertThat(tube.putUnique("a").id()).isEqualTo(first.id());
        assertThat(tube.statistics().total()).isEqualTo(1);
    }

    /** Names of 64 characters, and values with each control character but NUL, and with characters of 1 to 4 bytes. */
    private static Map<String, String> largest() {
        Map<String, String> headers = new LinkedHashMap<>();
        StringBuilder control = new StringBuilder();
        for (char c = 1; c < 0x20; c++) {
            control.append(c);
        }
        for (int i = 31; i >= 0; i--) {
            String name = "n".repeat(62) + (char) ('A' + i / 6) + i % 6;
            headers.put(name, control + "\"\\/\u007f\u0080é\u2028€😀");
        }
        String first = headers.keySet().iterator().next();
        headers.put(first, headers.get(first) + "x".repeat(PutOptions.MAX_HEADERS_SIZE - bytes(headers)));
        return headers;
    }

    private static int bytes(Map<String, String> headers) {
        return headers.entrySet().stream()
                .mapToInt(header ->
                        TaskData.of(header.getKey() + header.getValue()).size())
                .sum();
    }

    private void the_largest_headers_come_out_exactly(Scenario scenario) {
        Map<String, String> largest = largest();
        assertThat(largest).hasSize(PutOptions.MAX_HEADERS);
        assertThat(bytes(largest)).isEqualTo(PutOptions.MAX_HEADERS_SIZE);
        Tube tube = scenario.tube();
        long id = tube.put("a", with().headers(largest)).id();
        assertThat(tube.peek(id).orElseThrow().headers()).containsExactlyEntriesOf(largest);
        assertThat(take(tube).headers()).containsExactlyEntriesOf(largest);
    }

    private void others_are_refused(Scenario scenario) {
        Tube tube = scenario.tube();
        List<Runnable> puts = List.of(
                () -> tube.put("a", with().header("tasktube.node", "x")),
                () -> tube.put("a", with().header("a b", "x")),
                () -> tube.putAll(List.of(PutItem.of("a"), PutItem.of("a", with().header("x", "\0")))),
                () -> tube.putUnique("key", "a", with().header("x", "x".repeat(4096)), OnConflict.KEEP));
        puts.forEach(put -> assertThatThrownBy(put::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("header"));
        assertThat(tube.statistics().total()).isZero();
    }

    private void a_rollback_undoes_them(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        long id = tube.putUnique("key", "a", traced(), OnConflict.FAIL).id();
        scenario.undone(() -> {
            Task other = tube.putUnique("key", "a", with().header("other", "value"), OnConflict.REPLACE);
            assertThat(other.headers()).containsOnlyKeys("other");
            assertThat(tube.put("b", traced()).headers()).hasSize(3);
        });
        isTraced(tube, id);
        tracedTake(tube);
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void listeners_see_them(Scenario scenario) {
        Tube tube = scenario.tube();
        List<TaskChange> callback = Collections.synchronizedList(new ArrayList<>());
        List<TaskChange> bean = Collections.synchronizedList(new ArrayList<>());
        tube.onTaskChange(callback::add);
        Runnable stop = scenario.listen(tube.name(), bean::add);
        long id = tube.putUnique("key", "a", traced(), OnConflict.KEEP).id();
        tube.putUnique("key", "b", traced(), OnConflict.REPLACE);
        tube.release(take(tube));
        tube.requeue(take(tube));
        tube.bury(take(tube));
        tube.kick();
        tube.bury(id);
        tube.dig(id);
        take(tube);
        tube.releaseAll();
        tube.ack(take(tube), TaskResult.completed("done"));
        tube.delete(id);
        tube.put("c", traced());
        tube.ack(take(tube));
        tube.put("d", traced());
        tube.truncate();
        Eventually.holds(() -> bean.size() == callback.size(), "the bean is notified of each change");
        stop.run();
        assertThat(callback)
                .hasSize(21)
                .allSatisfy(change -> isTraced(change.task().orElseThrow()));
        assertThat(bean).allSatisfy(change -> isTraced(change.task().orElseThrow()));
    }

    private void the_end_of_a_ttl_has_them(Scenario scenario) {
        Tube tube = scenario.tube();
        List<TaskChange> changes = Collections.synchronizedList(new ArrayList<>());
        tube.onTaskChange(changes::add);
        tube.put("a", traced().ttl(ofMillis(30)));
        Eventually.holds(() -> changes.size() == 2, "the ttl is over");
        // The threads of the put and of the sweep notify each by itself
        assertThat(changes).extracting(TaskChange::event).containsExactlyInAnyOrder(TubeEvent.PUT, TubeEvent.TTL);
        assertThat(changes).allSatisfy(change -> isTraced(change.task().orElseThrow()));
    }

    private void another_server_takes_them(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a", traced());
        tracedTake(scenario.elsewhere());
    }
}
