package org.tasktube.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Sweep;
import org.tasktube.store.TubeCount;

/** Steps that read, and the sweep. */
final class ReadSteps {

    private final Scenario scenario;

    ReadSteps(Scenario scenario) {
        this.scenario = scenario;
    }

    void find() {
        int number = scenario.anyNumber();
        long id = scenario.id(number);
        Optional<Version> task = Optional.ofNullable(seen().get(number));
        scenario.same(
                "find " + number,
                task.map(ReadSteps::text),
                scenario.store().reads().find(scenario.stored(), id).map(found -> text(found)));
        scenario.same(
                "holder of " + number,
                task.filter(version -> version.isIn(TaskState.TAKEN)).map(version -> version.session),
                scenario.store().reads().holder(scenario.stored(), id).map(Environment::actor));
        scenario.same(
                "result of " + number,
                task.map(version -> version.result),
                scenario.store().reads().result(scenario.stored(), id).map(Environment::text));
        scenario.same(
                "meta of " + number,
                task.map(this::metaText),
                scenario.store().reads().meta(scenario.stored(), id).map(ReadSteps::metaText));
    }

    private NavigableMap<Integer, Version> seen() {
        return scenario.tube().seen(scenario.actor());
    }

    private static String text(Version task) {
        return String.join(
                " ",
                task.state.name(),
                String.valueOf(task.pri),
                task.data,
                task.headers.toString(),
                Objects.requireNonNullElse(task.utube, ""),
                String.valueOf(task.attempts),
                task.isIn(TaskState.TAKEN) ? "token" : "");
    }

    private static String text(Task task) {
        return String.join(
                " ",
                task.state().name(),
                String.valueOf(task.pri()),
                task.text(),
                task.headers().toString(),
                task.utube().orElse(""),
                String.valueOf(task.attempts()),
                task.token() != 0 ? "token" : "");
    }

    private String metaText(Version task) {
        return String.join(
                " ",
                task.state.name(),
                "event " + task.event,
                "key " + task.key,
                "utube " + task.utube,
                "session " + task.session,
                "taken " + task.takenAt,
                "created " + task.created,
                "ttl " + (task.expires == null ? null : Long.valueOf(task.expires - task.created)),
                "ttr " + task.ttr,
                "counts " + task.buried + " " + task.taken + " " + task.attempts,
                "failure " + task.failure,
                "now " + scenario.model().now());
    }

    private static String metaText(TaskMeta meta) {
        return String.join(
                " ",
                meta.state().name(),
                "event " + Environment.millis(meta.event().orElse(null)),
                "key " + meta.uniqueKey().orElse(null),
                "utube " + meta.utube().orElse(null),
                "session " + Environment.actor(meta.session().orElse(null)),
                "taken " + Environment.millis(meta.takenAt().orElse(null)),
                "created " + Environment.millis(meta.created()),
                "ttl " + meta.ttl().map(Environment::exactly).orElse(null),
                "ttr " + meta.ttr().map(Environment::exactly).orElse(null),
                "counts " + meta.buriedCount() + " " + meta.takenCount() + " " + meta.attempts(),
                "failure "
                        + meta.lastFailure().map(failure -> failure.message()).orElse(null),
                "now " + Environment.millis(meta.now()));
    }

    void first() {
        TaskState state = scenario.pick(List.of(TaskState.values()));
        if (state == TaskState.READY && scenario.stored().subQueues()) {
            scenario.outside(() -> scenario.store().promoteHeads(scenario.stored()));
        }
        Optional<Integer> first =
                scenario.store().reads().first(scenario.stored(), state).map(task -> scenario.number(task.id()));
        scenario.oneOf("first " + state, firsts(state), first);
    }

    private Set<Optional<Integer>> firsts(TaskState state) {
        NavigableMap<Integer, Version> seen = seen();
        return switch (state) {
            case READY -> firstReady(seen);
            case DELAYED -> firstDelayed(seen);
            default ->
                Set.of(scenario.tube().inOrder(scenario.actor(), state).stream().findFirst());
        };
    }

    /**
     * What a take would get. While a task is over and not removed, or locked by another transaction, which a take
     * skips, a read need not find the same.
     */
    private Set<Optional<Integer>> firstReady(NavigableMap<Integer, Version> seen) {
        long now = scenario.model().now();
        List<Integer> ready = scenario.tube().numbers(scenario.actor(), TaskState.READY);
        Set<Optional<Integer>> firsts = scenario.tube().claimable(scenario.actor(), now, OrderKey.START, 1).stream()
                .map(claimable -> claimable.stream().findFirst())
                .collect(Collectors.toSet());
        boolean unsure = ready.stream()
                .anyMatch(number ->
                        seen.get(number).isOver(now) || scenario.tube().isLocked(number, scenario.actor()));
        if (unsure) {
            ready.forEach(number -> firsts.add(Optional.of(number)));
        }
        return firsts;
    }

    /** Any of those that come first together. */
    private Set<Optional<Integer>> firstDelayed(NavigableMap<Integer, Version> seen) {
        List<Integer> delayed = scenario.tube().numbers(scenario.actor(), TaskState.DELAYED);
        Optional<Long> earliest =
                delayed.stream().map(number -> seen.get(number).event).min(Comparator.naturalOrder());
        return earliest.isEmpty()
                ? Set.of(Optional.empty())
                : delayed.stream()
                        .filter(number -> seen.get(number).event.equals(earliest.get()))
                        .map(Optional::of)
                        .collect(Collectors.toSet());
    }

    void page() {
        TaskState state = scenario.pick(List.of(TaskState.values()));
        int after = scenario.chance(50) ? 0 : scenario.anyNumber();
        int limit = (int) scenario.pick(1, 3, 100);
        List<Integer> expected = scenario.tube().numbers(scenario.actor(), state).stream()
                .filter(number -> number > after)
                .limit(limit)
                .toList();
        List<Integer> actual = scenario
                .store()
                .reads()
                .page(scenario.stored(), state, after == 0 ? Long.MIN_VALUE : scenario.id(after), limit)
                .stream()
                .map(task -> scenario.number(task.id()))
                .toList();
        scenario.same("page of " + limit + " " + state + " after " + after, expected, actual);
    }

    void states() {
        Map<Integer, TaskState> expected = new TreeMap<>();
        List<Long> ids = new ArrayList<>();
        for (int number = 1; number <= scenario.model().numbers(); number++) {
            ids.add(scenario.id(number));
        }
        scenario.model().tubes().forEach(tube -> tube.seen(scenario.actor())
                .forEach((number, task) -> expected.put(number, task.state)));
        Map<Integer, TaskState> actual = new TreeMap<>();
        scenario.store().reads().states(ids).forEach((id, state) -> actual.put(scenario.number(id), state));
        scenario.same("states", expected, actual);
    }

    void counts() {
        Set<String> expected = new TreeSet<>();
        for (ModelTube tube : scenario.model().tubes()) {
            for (TaskState state : TaskState.values()) {
                int count = tube.numbers(scenario.actor(), state).size();
                if (count > 0) {
                    expected.add(tube.stored().id() + " " + state + " " + count);
                }
            }
        }
        scenario.same("counts", expected, texts(scenario.store().reads().counts()));
    }

    static Set<String> texts(List<TubeCount> counts) {
        return counts.stream()
                .map(count -> count.tube() + " " + count.state() + " " + count.tasks())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Which tubes a poll finds; it may find one in vain, but where that is sure it must not miss one. */
    void tubes() {
        scenario.as(0);
        int id = scenario.stored().id();
        boolean ready = !scenario.store().poll(Set.of(id), Set.of()).ready().isEmpty();
        Set<List<Integer>> claimable =
                scenario.tube().claimable(0, scenario.model().now(), OrderKey.START, 1);
        sure(
                "ready tube",
                claimable.stream().noneMatch(List::isEmpty),
                seen().isEmpty() && !scenario.stored().subQueues(),
                ready);
        if (scenario.stored().hasCapacity()) {
            boolean free = !scenario.store().poll(Set.of(), Set.of(id)).free().isEmpty();
            sure("free tube", scenario.tube().mustFit(1), scenario.tube().isFull(), free);
        }
    }

    private void sure(String what, boolean must, boolean mustNot, boolean actual) {
        if (must || mustNot) {
            scenario.same(what, must, actual);
        }
    }

    // Sweep

    /** Never part of a transaction. */
    void sweep() {
        scenario.as(0);
        Set<Integer> observed = scenario.chance(50) ? Set.of(scenario.stored().id()) : Set.of();
        Set<String> expected = new TreeSet<>();
        for (ModelTube tube : scenario.model().tubes()) {
            expected.addAll(sweep(tube, observed));
        }
        Sweep sweep = scenario.store().sweep(observed::contains);
        Set<String> actual = new TreeSet<>();
        for (Sweep.Swept swept : sweep.swept()) {
            swept.done()
                    .ids()
                    .forEach(id -> actual.add(swept.tube() + " " + swept.done().from() + " " + scenario.number(id)));
            swept.done()
                    .tasks()
                    .forEach(task -> actual.add("observed " + scenario.number(task.id()) + " " + text(task)));
        }
        scenario.same("sweep", expected, actual);
        checkNext(sweep);
    }

    private Set<String> sweep(ModelTube tube, Set<Integer> observed) {
        Set<String> swept = new HashSet<>();
        Predicate<Version> due =
                task -> task.event != null && task.event <= scenario.model().now();
        tube.seen(0).forEach((number, task) -> {
            if (due.test(task) && !tube.isLocked(number, 0)) {
                swept.add(tube.stored().id() + " " + task.state + " " + number);
                sweep(tube, number, task);
                if (observed.contains(tube.stored().id())) {
                    swept.add("observed " + number + " " + text(task));
                }
            }
        });
        return swept;
    }

    private void sweep(ModelTube tube, int number, Version task) {
        switch (task.state) {
            case TAKEN ->
                scenario.model().change(tube, number, task.state, 0, version -> version.transitionTo(TaskState.READY));
            case DELAYED -> scenario.model().change(tube, number, task.state, 0, Version::becomeReady);
            default -> scenario.model().remove(tube, number, 0);
        }
    }

    /** With open transactions it may come earlier. */
    private void checkNext(Sweep sweep) {
        Optional<Long> next = scenario.model().tubes().stream()
                .flatMap(tube -> tube.seen(0).values().stream())
                .filter(task -> task.event != null)
                .map(task -> task.event - scenario.model().now())
                .min(Comparator.naturalOrder());
        Optional<Long> actual = sweep.untilNext().map(Duration::toMillis);
        if (!sweep.swept().isEmpty()) {
            scenario.same("there may be more", Optional.of(0L), actual);
        } else if (!scenario.model().isAnyInTransaction()) {
            scenario.same("until the next deadline", next, actual);
        } else if (next.filter(time -> time > 0).isPresent() && (actual.isEmpty() || actual.get() > next.get())) {
            throw new AssertionError("the next deadline is in " + next + ", the store says " + actual);
        }
    }
}
