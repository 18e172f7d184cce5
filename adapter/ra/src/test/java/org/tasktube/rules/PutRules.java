package org.tasktube.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tasktube.DataTooLargeException;
import org.tasktube.OnConflict;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Schedule;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskExistsException;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeFullException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.drain;
import static org.tasktube.rules.Scenario.get;
import static org.tasktube.rules.Scenario.state;
import static org.tasktube.rules.Scenario.take;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.CAPACITY;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;
import static org.tasktube.spi.TubeOption.UTUBE;

/** What put makes of data and options. */
final class PutRules extends RuleGroup {

    @Override
    String heading() {
        return "Put";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule(
                        "With `uniqueFor` a key stays taken for that time from the put, also after the end of its task;"
                                + " others then get that task as DONE, or an error",
                        this::a_key_stays_taken),
                rule("`uniqueFor` of two concurrent puts makes one task", this::one_task_in_the_time),
                rule("A put of `uniqueFor` that is rolled back leaves the key free", this::a_rollback_frees_the_key)
                        .only(Mode.IN_JTA, "outside a transaction each call commits"),
                rule("`uniqueFor` is refused for a put without a key", this::a_time_needs_a_key),
                rule(
                                "The removal of keys whose time is over passes over those of open transactions",
                                this::old_keys_wait_for_none)
                        .only(Mode.IN_JTA, "a put outside a transaction ends at once"),
                rule(
                        "`find` and `delete` by key act on the task of the key in any state but DONE, and delete frees the"
                                + " key from its time",
                        this::tasks_by_their_keys),
                rule(
                        "`put` of the connection factory opens and closes a connection, and is part of the caller's"
                                + " transaction",
                        this::a_factory_puts),
                rule(
                        "Ids ascend with put in a tube. They are never used again, not even after ack or delete",
                        this::ids_ascend_and_are_never_used_again),
                rule("put returns the task as it is in the tube", this::put_returns_the_task),
                rule("pri is an integer from 0, by default 0. A smaller pri goes first", this::a_smaller_pri_goes_first)
                        .needs(PRI),
                rule(
                        "An urgent task goes ahead of every READY task, those of pri 0 included",
                        this::urgent_goes_ahead_of_all),
                rule("An urgent put with a delay is a plain put", this::urgent_with_a_delay_is_plain)
                        .needs(DELAY)
                        .not(Set.of(Type.LIFO), "its driver puts each task ahead"),
                rule(
                        "READY tasks are ordered by pri, then by put, or as the driver decides. One consumer "
                                + "sees exactly this order",
                        this::one_consumer_sees_the_order),
                rule(
                                "The delay is added to the ttl: with a ttl of 60.1 s and a delay of 80 s a task lives "
                                        + "at most 140.1 s",
                                this::delay_adds_to_ttl)
                        .needs(TTL, DELAY),
                rule("Durations are exact to the millisecond", this::durations_are_exact_to_the_millisecond)
                        .needs(TTL, TTR, DELAY),
                rule(
                                "The ttr is the one of put, else the tube's, else the ttl, else without a limit",
                                this::ttr_is_the_tubes_else_the_ttl)
                        .needs(TTR, TTL),
                rule(
                        "A time without a limit stays without a limit, and the longest times do not overflow",
                        this::nothing_overflows),
                rule(
                        "While a task of the key is READY, DELAYED, TAKEN or BURIED, putUnique returns that "
                                + "task and puts none",
                        this::put_unique_keeps_the_one_that_is_there),
                rule(
                        "When the task of the key is gone or DONE, putUnique puts another one",
                        this::put_unique_puts_another_once_it_is_worked_off),
                rule("The key of putUnique is by default the digest of the data", this::the_key_is_the_datas_digest),
                rule(
                        "putUnique with REPLACE changes the data and times of a task that is not taken",
                        this::replace_takes_data_and_times),
                rule("putUnique with FAIL fails if a task of the key exists", this::fail_is_an_error),
                rule("Two concurrent puts of one key make one task", this::two_concurrent_puts_of_a_key_make_one_task),
                rule(
                        "putAll puts all tasks or none. Their ids ascend in the order of the list",
                        this::put_all_is_all_or_none),
                rule("putAll of more tasks than free slots puts none", this::put_all_of_more_than_fits_puts_none)
                        .needs(CAPACITY),
                rule(
                        "Half of a surrogate pair is refused in a unique key, in the name of a sub-queue and in text",
                        this::half_pairs_are_refused),
                rule("putAll can have options for each task", this::put_all_takes_options_for_each),
                rule("putAll with a timeout waits for slots for all its tasks", this::put_all_waits_for_slots)
                        .needs(CAPACITY),
                rule("putUnique with a timeout waits for a slot, or for a task of the key", this::put_unique_waits)
                        .needs(CAPACITY),
                rule("The capacity counts the tasks of the tube in every state", this::capacity_counts_every_state)
                        .needs(CAPACITY),
                rule(
                                "If the tube is full, put with a timeout waits, and returns an empty `Optional` on "
                                        + "timeout. Without a timeout it fails",
                                this::a_full_tube_makes_put_wait)
                        .needs(CAPACITY),
                rule("A waiting put is woken when a slot is free", this::a_waiting_put_is_woken)
                        .needs(CAPACITY),
                rule(
                                "A tube never has more tasks than its capacity, with any number of"
                                        + " concurrent producers",
                                this::it_never_overfills)
                        .needs(CAPACITY),
                rule(
                                "A tube never has more tasks than its capacity, on any number of servers",
                                this::it_never_overfills_on_two_servers)
                        .onTwoServers()
                        .needs(CAPACITY),
                rule("A rollback frees the slot, and wakes a waiting put", this::a_rollback_frees_the_slot)
                        .needs(CAPACITY)
                        .only(Mode.IN_JTA, "no rollback outside a transaction"),
                rule(
                        "Data is bytes with a content type. Text, and any object that JSON-B can map, is put "
                                + "and read by its type",
                        this::data_goes_in_and_out_by_type),
                rule(
                        "Data has at most maxDataSize bytes, by default 1 MiB. A put of more fails",
                        this::data_over_the_limit_is_an_error));
    }

    private void a_key_stays_taken(Scenario scenario) {
        Tube tube = scenario.tube();
        Task first = tube.putUnique("k", "first", with().uniqueFor(ofMinutes(5)), OnConflict.FAIL);
        assertThat(tube.putUnique("k", "second", with(), OnConflict.KEEP).id()).isEqualTo(first.id());
        tube.ack(scenario.take());
        for (OnConflict each : List.of(OnConflict.KEEP, OnConflict.REPLACE)) {
            for (PutOptions options : List.of(with(), with().uniqueFor(ofMinutes(1)))) {
                Task ended = tube.putUnique("k", "third", options, each);
                assertThat(ended.id()).isEqualTo(first.id());
                assertThat(ended.state()).isEqualTo(TaskState.DONE);
            }
        }
        assertThatThrownBy(() -> tube.putUnique("k", "fourth", with(), OnConflict.FAIL))
                .isInstanceOf(TaskExistsException.class);
        assertThat(tube.take(ZERO)).isEmpty();
        assertThat(tube.putUnique("other", "other", with(), OnConflict.FAIL).id())
                .isGreaterThan(first.id());
        tube.truncate();
        Task brief = tube.putUnique("brief", "a", with().uniqueFor(ofMillis(200)), OnConflict.FAIL);
        tube.delete(brief.id());
        Eventually.holds(
                () -> tube.putUnique("brief", "b", with().uniqueFor(ofMinutes(5)), OnConflict.KEEP)
                                .id()
                        > brief.id(),
                "the time is over");
        tube.ack(scenario.take());
        assertThat(tube.putUnique("brief", "c", with(), OnConflict.KEEP).state())
                .isEqualTo(TaskState.DONE);
    }

    private void one_task_in_the_time(Scenario scenario) {
        List<Future<Task>> puts = IntStream.range(0, 4).mapToObj(i -> scenario.another()).toList().stream()
                .map(tube ->
                        scenario.later(() -> tube.putUnique("k", "a", with().uniqueFor(ofMinutes(5)), OnConflict.KEEP)))
                .toList();
        Set<Long> ids = puts.stream().map(put -> get(put).id()).collect(Collectors.toSet());
        assertThat(ids).hasSize(1);
        assertThat(scenario.tube().statistics().total()).isEqualTo(1);
    }

    private void a_rollback_frees_the_key(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        scenario.undone(() -> tube.putUnique("k", "a", with().uniqueFor(ofMinutes(5)), OnConflict.FAIL));
        tube.ack(take(put(tube, "k", "b")));
        assertThat(tube.putUnique("k", "c", with(), OnConflict.KEEP).state()).isEqualTo(TaskState.READY);
    }

    private static Tube put(Tube tube, String key, String text) {
        tube.putUnique(key, text, with(), OnConflict.FAIL);
        return tube;
    }

    private void a_time_needs_a_key(Scenario scenario) {
        assertThatThrownBy(() -> scenario.tube().put("a", with().uniqueFor(ofMinutes(1))))
                .hasMessageContaining("putUnique");
        assertThatThrownBy(() -> with().uniqueFor(ZERO)).hasMessageContaining("uniqueFor");
        assertThatThrownBy(() -> Schedule.every("s", ofMinutes(1)).into("t", "a", with().uniqueFor(ofMinutes(1))))
                .hasMessageContaining("leave it out");
    }

    private void old_keys_wait_for_none(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        for (String key : List.of("open", "free", "last")) {
            tube.putUnique(key, "a", with().uniqueFor(ofMillis(1)), OnConflict.FAIL);
            tube.delete(tube.find(key).orElseThrow().id());
        }
        Eventually.holds(
                () -> tube.putUnique("last", "b", with(), OnConflict.KEEP).state() != TaskState.DONE,
                "the time of the last key is over");
        scenario.together(() -> {
            tube.putUnique("open", "b", with().uniqueFor(ofMinutes(5)), OnConflict.FAIL);
            scenario.apart(() -> scenario.removeOldKeys());
            Task other = scenario.apart(
                    () -> scenario.another().putUnique("free", "c", with().uniqueFor(ofMinutes(5)), OnConflict.FAIL));
            assertThat(other.text()).isEqualTo("c");
        });
        assertThat(tube.find("open").map(Task::text)).contains("b");
    }

    private void tasks_by_their_keys(Scenario scenario) {
        Tube tube = scenario.tube();
        assertThat(tube.find("k")).isEmpty();
        assertThat(tube.delete("k")).isFalse();
        Task task = tube.putUnique("k", "a", with().uniqueFor(ofMinutes(5)), OnConflict.FAIL);
        assertThat(tube.find("k").map(Task::id)).contains(task.id());
        Task held = scenario.take();
        assertThat(tube.find("k").map(Task::state)).contains(TaskState.TAKEN);
        assertThat(tube.delete("k")).isTrue();
        assertThatThrownBy(() -> tube.ack(held)).isInstanceOf(TaskNotFoundException.class);
        Task again = tube.putUnique("k", "b", with(), OnConflict.FAIL);
        tube.ack(scenario.take());
        assertThat(tube.find("k")).isEmpty();
        assertThat(tube.peek(again.id())).isEmpty();
        assertThatThrownBy(() -> tube.find("")).isInstanceOf(IllegalArgumentException.class);
    }

    private void a_factory_puts(Scenario scenario) throws Exception {
        TubeConnectionFactory factory = scenario.factory();
        scenario.together(() -> factory.put(scenario.tube().name(), "a"));
        assertThat(scenario.take().text()).isEqualTo("a");
        scenario.undone(() -> factory.put(scenario.tube().name(), "b", with()));
        assertThat(scenario.tube().take(ZERO)).isEmpty();
        assertThatThrownBy(() -> factory.put("nothing", "c")).isInstanceOf(TubeNotFoundException.class);
    }

    private void ids_ascend_and_are_never_used_again(Scenario scenario) {
        Tube tube = scenario.tube();
        long first = tube.put("a").id();
        long second = tube.put("b").id();
        assertThat(second).isGreaterThan(first);
        tube.delete(second);
        long third = tube.put("c").id();
        assertThat(third).isGreaterThan(second);
        tube.take(2, ZERO).forEach(tube::ack);
        assertThat(tube.put("d").id()).isGreaterThan(third);
        assertThat(tube.peek(second)).isEmpty();
    }

    private void put_returns_the_task(Scenario scenario) {
        Task plain = scenario.tube().put("a");
        assertThat(scenario.tube().peek(plain.id())).contains(plain);
        if (scenario.has(DELAY)) {
            Task delayed = scenario.tube().put("b", with().pri(3).delay(ofMinutes(1)));
            assertThat(delayed.state()).isEqualTo(TaskState.DELAYED);
            assertThat(delayed.pri()).isEqualTo(3);
            assertThat(scenario.tube().peek(delayed.id())).contains(delayed);
        }
    }

    private void a_smaller_pri_goes_first(Scenario scenario) {
        scenario.tube().put("2", with().pri(2));
        scenario.tube().put("1", with().pri(1));
        scenario.tube().put("max", with().pri(Integer.MAX_VALUE));
        scenario.tube().put("0");
        assertThat(drain(scenario.tube())).containsExactly("0", "1", "2", "max");
        assertThatThrownBy(() -> with().pri(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
    }

    private void urgent_goes_ahead_of_all(Scenario scenario) {
        scenario.tube().put("a");
        scenario.tube().put("b", with().asUrgent());
        scenario.tube().put("c", with().asUrgent());
        assertThat(drain(scenario.tube())).containsExactly("c", "b", "a");
    }

    private void urgent_with_a_delay_is_plain(Scenario scenario) throws Exception {
        Task delayed = scenario.tube().put("b", with().delay(ofMillis(30)).asUrgent());
        assertThat(delayed.state()).isEqualTo(TaskState.DELAYED);
        scenario.tube().put("a", with().delay(ofMillis(30)));
        List<String> order = new ArrayList<>();
        order.add(scenario.tube().take(LONG).orElseThrow().text());
        order.add(scenario.tube().take(LONG).orElseThrow().text());
        assertThat(order).containsExactly("b", "a");
    }

    private void one_consumer_sees_the_order(Scenario scenario) {
        List<String> put = IntStream.range(0, 12).mapToObj(String::valueOf).toList();
        put.forEach(scenario.tube()::put);
        assertThat(drain(scenario.tube())).isEqualTo(scenario.handedOut(put.toArray(String[]::new)));
        if (scenario.has(PRI)) {
            scenario.tube().put("late", with().pri(2));
            List.of("a", "b").forEach(text -> scenario.tube().put(text, with().pri(1)));
            scenario.tube().put("default");
            List<String> order = new ArrayList<>(List.of("default", "late"));
            order.addAll(1, scenario.handedOut("a", "b"));
            assertThat(drain(scenario.tube())).isEqualTo(order);
        }
    }

    private void delay_adds_to_ttl(Scenario scenario) {
        Task task = scenario.tube().put("a", with().ttl(ofMillis(60_100)).delay(ofSeconds(80)));
        assertThat(scenario.tube().meta(task.id()).orElseThrow().ttl()).contains(ofMillis(140_100));
    }

    private void durations_are_exact_to_the_millisecond(Scenario scenario) {
        Task task = scenario.tube()
                .put("a", with().ttl(ofMillis(70_001)).ttr(ofMillis(50_003)).delay(ofMillis(30_007)));
        TaskMeta meta = scenario.tube().meta(task.id()).orElseThrow();
        assertThat(meta.ttl()).contains(ofMillis(100_008));
        assertThat(meta.ttr()).contains(ofMillis(50_003));
        assertThat(meta.event()).contains(meta.created().plusMillis(30_007));
    }

    private void ttr_is_the_tubes_else_the_ttl(Scenario scenario) {
        assertThat(ttr(scenario.tube(), scenario.tube().put("a", with().ttl(ofMinutes(4)))))
                .contains(ofMinutes(4));
        assertThat(ttr(scenario.tube(), scenario.tube().put("b"))).isEmpty();
        Tube own = scenario.create(tube -> tube.ttl(ofMinutes(9)).ttr(ofMinutes(2)));
        assertThat(ttr(own, own.put("c"))).contains(ofMinutes(2));
        assertThat(ttr(own, own.put("d", with().ttl(ofMinutes(1))))).contains(ofMinutes(2));
        assertThat(ttr(own, own.put("e", with().ttr(ofMinutes(3))))).contains(ofMinutes(3));
        Tube living = scenario.create(tube -> tube.ttl(ofMinutes(9)));
        assertThat(ttr(living, living.put("f"))).contains(ofMinutes(9));
    }

    private static Optional<Duration> ttr(Tube tube, Task task) {
        return tube.meta(task.id()).orElseThrow().ttr();
    }

    private void nothing_overflows(Scenario scenario) {
        Tube tube = scenario.tube();
        Task put = tube.put("a");
        Task taken = scenario.take();
        if (scenario.has(TTR)) {
            tube.touch(taken, TubeDefinition.MAX_DURATION);
        }
        TaskMeta meta = tube.meta(put.id()).orElseThrow();
        assertThat(meta.ttl()).isEmpty();
        assertThat(meta.ttr()).isEmpty();
        assertThat(meta.event()).isEmpty();
        if (scenario.has(TTL)) {
            Duration max = TubeDefinition.MAX_DURATION;
            tube.put("b", with().ttl(max).ttr(max));
            Task longest = scenario.take();
            tube.touch(longest, max);
            assertThat(tube.meta(longest.id()).orElseThrow().ttl()).contains(max.multipliedBy(2));
            tube.release(longest, ReleaseOptions.defaults().delay(max));
            assertThat(state(tube, longest.id())).isEqualTo(TaskState.DELAYED);
            Task delayed = tube.put("c", with().ttl(max).ttr(max).delay(max));
            assertThat(tube.meta(delayed.id()).orElseThrow().ttl()).contains(max.multipliedBy(2));
        }
    }

    private void put_unique_keeps_the_one_that_is_there(Scenario scenario) {
        Tube tube = scenario.tube();
        Task first = tube.putUnique("key", "a", with(), OnConflict.KEEP);
        kept(tube, first.id(), TaskState.READY);
        Task taken = scenario.take();
        kept(tube, first.id(), TaskState.TAKEN);
        tube.bury(taken);
        kept(tube, first.id(), TaskState.BURIED);
        assertThat(tube.putUnique("other", "a", with(), OnConflict.KEEP).id()).isNotEqualTo(first.id());
        if (scenario.has(DELAY)) {
            Task delayed = tube.putUnique("late", "c", with().delay(ofMinutes(1)), OnConflict.KEEP);
            assertThat(tube.putUnique("late", "d", with(), OnConflict.KEEP)).isEqualTo(delayed);
        }
    }

    private static void kept(Tube tube, long id, TaskState state) {
        Task again = tube.putUnique("key", "b", with(), OnConflict.KEEP);
        assertThat(again.id()).isEqualTo(id);
        assertThat(again.state()).isEqualTo(state);
        assertThat(again.text()).isEqualTo("a");
    }

    private void put_unique_puts_another_once_it_is_worked_off(Scenario scenario) {
        Tube tube = scenario.tube();
        long first = tube.putUnique("key", "a", with(), OnConflict.FAIL).id();
        tube.ack(scenario.take());
        long second = tube.putUnique("key", "b", with(), OnConflict.FAIL).id();
        assertThat(second).isGreaterThan(first);
        tube.ack(scenario.take(), TaskResult.completed("done"));
        long third = tube.putUnique("key", "c", with(), OnConflict.FAIL).id();
        assertThat(third).isGreaterThan(second);
        tube.delete(third);
        assertThat(tube.putUnique("key", "d", with(), OnConflict.FAIL).text()).isEqualTo("d");
        assertThat(tube.meta(tube.peekReady().orElseThrow().id()).orElseThrow().uniqueKey())
                .contains("key");
    }

    private void the_key_is_the_datas_digest(Scenario scenario) {
        Tube tube = scenario.tube();
        Task first = tube.putUnique("a");
        assertThat(tube.putUnique("a").id()).isEqualTo(first.id());
        assertThat(tube.putUnique("b").id()).isNotEqualTo(first.id());
        assertThat(tube.meta(first.id()).orElseThrow().uniqueKey())
                .contains(TaskData.of("a").digest());
    }

    private void replace_takes_data_and_times(Scenario scenario) {
        Tube tube = scenario.tube();
        Task first = tube.putUnique("key", "a", with(), OnConflict.KEEP);
        Task replaced = tube.putUnique("key", "b", with(), OnConflict.REPLACE);
        assertThat(replaced.id()).isEqualTo(first.id());
        assertThat(tube.peek(first.id()).orElseThrow().text()).isEqualTo("b");
        if (scenario.has(DELAY)) {
            tube.putUnique("key", "c", with().pri(3).ttl(ofMinutes(1)).delay(ofMinutes(2)), OnConflict.REPLACE);
            TaskMeta meta = tube.meta(first.id()).orElseThrow();
            assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
            assertThat(meta.pri()).isEqualTo(3);
            assertThat(Duration.between(meta.now(), meta.event().orElseThrow())).isBetween(ofSeconds(90), ofMinutes(2));
            tube.putUnique("key", "d", with(), OnConflict.REPLACE);
            assertThat(state(tube, first.id())).isEqualTo(TaskState.READY);
        }
        Task taken = scenario.take();
        assertThat(tube.putUnique("key", "e", with(), OnConflict.REPLACE).text())
                .isEqualTo(taken.text());
        assertThat(tube.peek(first.id()).orElseThrow().text()).isEqualTo(taken.text());
        assertThat(tube.statistics().total()).isEqualTo(1);
    }

    private void fail_is_an_error(Scenario scenario) {
        Task first = scenario.tube().putUnique("key", "a", with(), OnConflict.FAIL);
        assertThatThrownBy(() -> scenario.tube().putUnique("key", "b", with(), OnConflict.FAIL))
                .isInstanceOf(TaskExistsException.class)
                .hasMessageContaining("key")
                .hasMessageContaining(String.valueOf(first.id()));
        assertThat(drain(scenario.tube())).containsExactly("a");
    }

    private void two_concurrent_puts_of_a_key_make_one_task(Scenario scenario) throws Exception {
        Callable<Long> put = () -> scenario.another()
                .putUnique("key", "a", with(), OnConflict.KEEP)
                .id();
        List<Future<Long>> others = new ArrayList<>();
        scenario.together(() -> {
            scenario.tube().putUnique("key", "a", with(), OnConflict.KEEP);
            IntStream.range(0, 4).forEach(i -> others.add(scenario.later(put)));
        });
        long id = scenario.tube().peekReady().orElseThrow().id();
        for (Future<Long> other : others) {
            assertThat(get(other)).isEqualTo(id);
        }
        assertThat(drain(scenario.tube())).containsExactly("a");
    }

    private void put_all_is_all_or_none(Scenario scenario) {
        Tube tube = scenario.tube();
        List<Task> put = tube.putAll(List.of("a", "b", "c"), with());
        assertThat(put).extracting(Task::text).containsExactly("a", "b", "c");
        assertThat(put).extracting(Task::id).isSorted();
        assertThatThrownBy(() -> tube.putAll(List.of("d", new byte[(1 << 20) + 1]), with()))
                .isInstanceOf(DataTooLargeException.class);
        assertThatThrownBy(() -> tube.putAll(List.of(), with())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tube.putAll(List.of(
                        PutItem.of("d", with()),
                        PutItem.of("e", with().asUrgent().pri(3)))))
                .satisfies(e ->
                        assertThat(e.getMessage()).contains(scenario.has(PRI) ? "task 2 of 2: pri 3" : "has no pri"));
        assertThat(drain(tube)).isEqualTo(scenario.handedOut("a", "b", "c"));
    }

    private void put_all_of_more_than_fits_puts_none(Scenario scenario) {
        Tube tube = scenario.create(made -> made.capacity(3));
        tube.put("a");
        assertThatThrownBy(() -> tube.putAll(List.of("b", "c", "d"), with())).isInstanceOf(TubeFullException.class);
        assertThat(tube.statistics().total()).isEqualTo(1);
        tube.putAll(List.of("b", "c"), with());
        assertThat(drain(tube)).containsExactly("a", "b", "c");
    }

    private void capacity_counts_every_state(Scenario scenario) {
        Tube tube = scenario.create(made -> made.capacity(5));
        tube.putAll(List.of("done", "taken"), with());
        tube.ack(take(tube), TaskResult.completed("result"));
        take(tube);
        tube.bury(tube.put("buried"));
        tube.put("delayed", with().delay(ofMinutes(1)));
        tube.put("ready");
        assertThat(tube.put("more", with(), ZERO)).isEmpty();
        assertThat(tube.statistics().total()).isEqualTo(5);
    }

    private void a_full_tube_makes_put_wait(Scenario scenario) {
        Tube tube = scenario.create(made -> made.capacity(1));
        assertThat(tube.put("a", with(), ZERO)).isPresent();
        assertThatThrownBy(() -> tube.put("b"))
                .isInstanceOf(TubeFullException.class)
                .hasMessageContaining(tube.name());
        assertThatThrownBy(() -> tube.putUnique("b")).isInstanceOf(TubeFullException.class);
        long start = System.nanoTime();
        assertThat(tube.put("b", with(), ofMillis(40))).isEmpty();
        assertThat(System.nanoTime() - start)
                .isGreaterThanOrEqualTo(ofMillis(40).toNanos());
        assertThatThrownBy(() -> tube.put("b", with(), ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThat(drain(tube)).containsExactly("a");
    }

    private void a_waiting_put_is_woken(Scenario scenario) {
        Tube tube = scenario.create(made -> made.capacity(1));
        for (Freeing freeing : FREEING) {
            Task there = tube.put("a");
            Future<Optional<Task>> waiting =
                    scenario.later(() -> scenario.connect().tube(tube.name()).put("b", with(), LONG));
            scenario.awaitPutters(tube, 1);
            freeing.from(tube, there);
            tube.delete(get(waiting).orElseThrow().id());
        }
    }

    /** What frees a slot. */
    @FunctionalInterface
    private interface Freeing {
        void from(Tube tube, Task there);
    }

    private static final List<Freeing> FREEING = List.of(
            (tube, there) -> tube.ack(take(tube)),
            (tube, there) -> tube.ackAll(List.of(take(tube))),
            (tube, there) -> tube.delete(there.id()),
            (tube, there) -> tube.truncate(),
            (tube, there) -> tube.ack(take(tube), TaskResult.completed("a").ttl(ofMillis(20))));

    private void it_never_overfills(Scenario scenario) {
        Tube tube = scenario.create(made -> made.capacity(5));
        assertThat(putters(scenario, 4, () -> scenario.connect().tube(tube.name())))
                .isEqualTo(5);
        assertThat(tube.statistics().total()).isEqualTo(5);
        tube.ack(take(tube));
        assertThat(putters(scenario, 4, () -> scenario.connect().tube(tube.name())))
                .isEqualTo(1);
        assertThat(tube.tasks(TaskState.READY, 0, 100)).hasSize(5);
    }

    private void it_never_overfills_on_two_servers(Scenario scenario) {
        Tube tube = scenario.create(made -> made.capacity(5));
        AtomicInteger count = new AtomicInteger();
        assertThat(putters(scenario, 4, () -> (count.incrementAndGet() % 2 == 0
                                ? scenario.connect()
                                : scenario.connectElsewhere())
                        .tube(tube.name())))
                .isEqualTo(5);
        assertThat(tube.tasks(TaskState.READY, 0, 100)).hasSize(5);
    }

    /** Several producers at once, each until it finds no free slot; how many tasks they put. */
    private static int putters(Scenario scenario, int producers, Callable<Tube> opener) {
        List<Future<Integer>> putting = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            putting.add(scenario.later(() -> {
                Tube tube = opener.call();
                int put = 0;
                while (tube.put("a", with(), ZERO).isPresent()) {
                    put++;
                }
                return put;
            }));
        }
        return putting.stream().mapToInt(Scenario::get).sum();
    }

    private void a_rollback_frees_the_slot(Scenario scenario) throws Exception {
        Tube tube = scenario.create(made -> made.capacity(1));
        List<Future<Optional<Task>>> waiting = new ArrayList<>();
        scenario.undone(() -> {
            tube.put("a");
            waiting.add(
                    scenario.later(() -> scenario.connect().tube(tube.name()).put("b", with(), LONG)));
            scenario.awaitPutters(tube, 1);
        });
        assertThat(get(waiting.get(0)).map(Task::text)).contains("b");
        scenario.undone(() -> tube.ack(take(tube)));
        assertThat(tube.put("c", with(), ZERO)).isEmpty();
        assertThat(drain(tube)).containsExactly("b");
    }

    private void half_pairs_are_refused(Scenario scenario) {
        Tube tube = scenario.tube();
        assertThatThrownBy(() -> tube.putUnique("\ud800", "x", with(), OnConflict.KEEP))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("half of a surrogate pair");
        assertThatThrownBy(() -> tube.put("x\udc00"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("half of a surrogate pair");
        assertThatThrownBy(() -> tube.put("x", with().utube("\ud801"))).isInstanceOf(IllegalArgumentException.class);
        assertThat(tube.statistics().total()).isZero();
        assertThat(tube.put("\ud83d\ude00").text()).isEqualTo("\ud83d\ude00");
    }

    private void data_goes_in_and_out_by_type(Scenario scenario) {
        Tube tube = scenario.tube();
        Task bytes = tube.put(TaskData.of("image/png", new byte[] {0, -1}));
        Task text = tube.put("Grüße");
        Task object = tube.put(new int[] {1, 2});
        Task one = tube.putAll(List.of(new byte[] {3}), with()).get(0);
        assertThat(tube.peek(bytes.id()).orElseThrow().data().contentType()).isEqualTo("image/png");
        assertThat(tube.peek(bytes.id()).orElseThrow().bytes()).containsExactly(0, -1);
        assertThat(tube.peek(text.id()).orElseThrow().text()).isEqualTo("Grüße");
        assertThat(tube.peek(text.id()).orElseThrow().data().contentType()).startsWith(TaskData.TEXT);
        assertThat(tube.peek(object.id()).orElseThrow().data(int[].class)).containsExactly(1, 2);
        assertThat(tube.peek(object.id()).orElseThrow().data().contentType()).isEqualTo(TaskData.JSON);
        assertThat(tube.peek(one.id()).orElseThrow().data(byte[].class)).containsExactly(3);
        assertThat(tube.take(4, ZERO)).hasSize(4).allSatisfy(taken -> assertThat(tube.peek(taken.id()))
                .contains(taken));
    }

    private void data_over_the_limit_is_an_error(Scenario scenario) {
        assertThatThrownBy(() -> scenario.tube().put(new byte[(1 << 20) + 1]))
                .isInstanceOf(DataTooLargeException.class)
                .hasMessageContaining("1048577")
                .hasMessageContaining("1048576");
        assertThat(scenario.tube().statistics().total()).isZero();
        scenario.tube().put(new byte[1 << 20]);
        assertThat(scenario.take().bytes()).hasSize(1 << 20);
    }

    private void put_all_takes_options_for_each(Scenario scenario) {
        Tube tube = scenario.tube();
        List<Task> put = tube.putAll(List.of(
                PutItem.of("a"),
                PutItem.of("b", scenario.has(DELAY) ? with().delay(ofMinutes(1)) : with()),
                PutItem.of("c", scenario.has(PRI) ? with().pri(3) : with()),
                PutItem.of("d", scenario.has(UTUBE) ? with().utube("u") : with())));
        assertThat(put).extracting(Task::id).isSorted();
        assertThat(put).extracting(Task::text).containsExactly("a", "b", "c", "d");
        assertThat(tube.peek(put.get(1).id()).orElseThrow().state())
                .isEqualTo(scenario.has(DELAY) ? TaskState.DELAYED : TaskState.READY);
        assertThat(tube.peek(put.get(2).id()).orElseThrow().pri()).isEqualTo(scenario.has(PRI) ? 3 : 0);
        assertThat(tube.peek(put.get(3).id()).orElseThrow().utube())
                .isEqualTo(scenario.has(UTUBE) ? Optional.of("u") : Optional.empty());
        assertThat(put.get(3).utube())
                .isEqualTo(tube.meta(put.get(3).id()).orElseThrow().utube());
        assertThatThrownBy(() -> tube.putAll(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    private void put_all_waits_for_slots(Scenario scenario) {
        Tube tube = scenario.create(made -> made.capacity(3));
        List<Task> there = tube.putAll(List.of("a", "b", "c"), with());
        assertThat(tube.putAll(List.of("d", "e"), with(), ofMillis(20))).isEmpty();
        assertThatThrownBy(() -> tube.putAll(List.of("d", "e", "f", "g"), with(), LONG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("capacity of 3");
        Future<Optional<List<Task>>> two =
                scenario.later(() -> scenario.connect().tube(tube.name()).putAll(List.of("d", "e"), with(), LONG));
        scenario.awaitPutters(tube, 1);
        boolean keepsSlots = scenario.mode() == Mode.IN_JTA;
        if (!keepsSlots) {
            Future<Optional<Task>> one =
                    scenario.later(() -> scenario.connect().tube(tube.name()).put("f", with(), LONG));
            scenario.awaitPutters(tube, 2);
            tube.delete(there.get(0).id());
            // One slot is too little for two, and enough for one
            tube.delete(get(one).orElseThrow().id());
        } else {
            tube.delete(there.get(0).id());
        }
        tube.delete(there.get(1).id());
        assertThat(get(two).orElseThrow()).extracting(Task::text).containsExactly("d", "e");
        assertThat(tube.statistics().total()).isEqualTo(3);
    }

    private void put_unique_waits(Scenario scenario) {
        Tube tube = scenario.create(made -> made.capacity(1));
        Task there = tube.putUnique("key", "a", with(), OnConflict.KEEP);
        assertThat(tube.putUnique("key", "b", with(), OnConflict.KEEP, ZERO).map(Task::id))
                .contains(there.id());
        assertThat(tube.putUnique("other", "b", with(), OnConflict.KEEP, ofMillis(20)))
                .isEmpty();
        Future<Optional<Task>> waiting = scenario.later(
                () -> scenario.connect().tube(tube.name()).putUnique("other", "b", with(), OnConflict.KEEP, LONG));
        scenario.awaitPutters(tube, 1);
        tube.delete(there.id());
        assertThat(get(waiting).map(Task::text)).contains("b");
    }
}
