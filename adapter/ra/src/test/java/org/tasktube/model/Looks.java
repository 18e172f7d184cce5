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
import org.tasktube.store.Place;
import org.tasktube.store.Sweep;
import org.tasktube.store.TubeCount;

/** Steps that look, and the sweep. */
final class Looks {

    private final Trial trial;

    Looks(Trial trial) {
        this.trial = trial;
    }

    void look() {
        int number = trial.anyNumber();
        long id = trial.id(number);
        Optional<Version> task = Optional.ofNullable(seen().get(number));
        trial.same(
                "find " + number,
                task.map(Looks::text),
                trial.store().find(trial.stored(), id).map(found -> text(found)));
        trial.same(
                "holder of " + number,
                task.filter(version -> version.isIn(TaskState.TAKEN)).map(version -> version.session),
                trial.store().holder(trial.stored(), id).map(Ground::actor));
        trial.same(
                "result of " + number,
                task.map(version -> version.result),
                trial.store().result(trial.stored(), id).map(Ground::text));
        trial.same(
                "meta of " + number,
                task.map(this::metaText),
                trial.store().meta(trial.stored(), id).map(Looks::metaText));
    }

    private NavigableMap<Integer, Version> seen() {
        return trial.tube().seen(trial.actor());
    }

    private static String text(Version task) {
        return String.join(
                " ",
                task.state.name(),
                String.valueOf(task.pri),
                task.data,
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
                task.utube(),
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
                "now " + trial.model().now());
    }

    private static String metaText(TaskMeta meta) {
        return String.join(
                " ",
                meta.state().name(),
                "event " + Ground.millis(meta.event().orElse(null)),
                "key " + meta.uniqueKey().orElse(null),
                "utube " + meta.utube().orElse(null),
                "session " + Ground.actor(meta.session().orElse(null)),
                "taken " + Ground.millis(meta.takenAt().orElse(null)),
                "created " + Ground.millis(meta.created()),
                "ttl " + meta.ttl().map(Ground::exactly).orElse(null),
                "ttr " + meta.ttr().map(Ground::exactly).orElse(null),
                "counts " + meta.buried() + " " + meta.taken() + " " + meta.attempts(),
                "failure "
                        + meta.lastFailure().map(failure -> failure.message()).orElse(null),
                "now " + Ground.millis(meta.now()));
    }

    void first() {
        TaskState state = trial.pick(List.of(TaskState.values()));
        if (state == TaskState.READY && trial.stored().subQueues()) {
            trial.outside(() -> trial.store().settle(trial.stored()));
        }
        Optional<Integer> first = trial.store().first(trial.stored(), state).map(task -> trial.number(task.id()));
        trial.oneOf("first " + state, firsts(state), first);
    }

    private Set<Optional<Integer>> firsts(TaskState state) {
        NavigableMap<Integer, Version> seen = seen();
        return switch (state) {
            case READY -> firstReady(seen);
            case DELAYED -> firstDelayed(seen);
            default ->
                Set.of(trial.tube().inOrder(trial.actor(), state).stream().findFirst());
        };
    }

    /**
     * What a take would get. While a task is over and not removed, or locked by another transaction, which a take passes
     * over, a look need not.
     */
    private Set<Optional<Integer>> firstReady(NavigableMap<Integer, Version> seen) {
        long now = trial.model().now();
        List<Integer> ready = trial.tube().numbers(trial.actor(), TaskState.READY);
        Set<Optional<Integer>> firsts = trial.tube().claimable(trial.actor(), now, Place.START, 1).stream()
                .map(claimable -> claimable.stream().findFirst())
                .collect(Collectors.toSet());
        boolean unsure = ready.stream()
                .anyMatch(number -> seen.get(number).isOver(now) || trial.tube().isLocked(number, trial.actor()));
        if (unsure) {
            ready.forEach(number -> firsts.add(Optional.of(number)));
        }
        return firsts;
    }

    /** Any of those that come first together. */
    private Set<Optional<Integer>> firstDelayed(NavigableMap<Integer, Version> seen) {
        List<Integer> delayed = trial.tube().numbers(trial.actor(), TaskState.DELAYED);
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
        TaskState state = trial.pick(List.of(TaskState.values()));
        int after = trial.chance(50) ? 0 : trial.anyNumber();
        int limit = (int) trial.pick(1, 3, 100);
        List<Integer> expected = trial.tube().numbers(trial.actor(), state).stream()
                .filter(number -> number > after)
                .limit(limit)
                .toList();
        List<Integer> actual =
                trial.store().page(trial.stored(), state, after == 0 ? Long.MIN_VALUE : trial.id(after), limit).stream()
                        .map(task -> trial.number(task.id()))
                        .toList();
        trial.same("page of " + limit + " " + state + " after " + after, expected, actual);
    }

    void states() {
        Map<Integer, TaskState> expected = new TreeMap<>();
        List<Long> ids = new ArrayList<>();
        for (int number = 1; number <= trial.model().numbers(); number++) {
            ids.add(trial.id(number));
        }
        trial.model().tubes().forEach(tube -> tube.seen(trial.actor())
                .forEach((number, task) -> expected.put(number, task.state)));
        Map<Integer, TaskState> actual = new TreeMap<>();
        trial.store().states(ids).forEach((id, state) -> actual.put(trial.number(id), state));
        trial.same("states", expected, actual);
    }

    /** Never asked for in a transaction. */
    void counts() {
        trial.as(0);
        Set<String> expected = new TreeSet<>();
        for (ModelTube tube : trial.model().tubes()) {
            for (TaskState state : TaskState.values()) {
                int count = tube.numbers(0, state).size();
                if (count > 0) {
                    expected.add(tube.stored().id() + " " + state + " " + count);
                }
            }
        }
        trial.same("counts", expected, texts(trial.store().counts()));
    }

    static Set<String> texts(List<TubeCount> counts) {
        return counts.stream()
                .map(count -> count.tube() + " " + count.state() + " " + count.tasks())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Which tubes a poll finds; it may find one in vain, but where that is sure it must not miss one. */
    void tubes() {
        trial.as(0);
        int id = trial.stored().id();
        boolean ready = !trial.store().readyTubes(Set.of(id)).isEmpty();
        Set<List<Integer>> claimable = trial.tube().claimable(0, trial.model().now(), Place.START, 1);
        sure(
                "ready tube",
                claimable.stream().noneMatch(List::isEmpty),
                seen().isEmpty() && !trial.stored().subQueues(),
                ready);
        if (trial.stored().hasCapacity()) {
            boolean free = !trial.store().freeTubes(Set.of(id)).isEmpty();
            sure("free tube", trial.tube().mustFit(1), trial.tube().isFull(), free);
        }
    }

    private void sure(String what, boolean must, boolean mustNot, boolean actual) {
        if (must || mustNot) {
            trial.same(what, must, actual);
        }
    }

    // Sweep

    /** Never part of a transaction. */
    void sweep() {
        trial.as(0);
        Set<Integer> told = trial.chance(50) ? Set.of(trial.stored().id()) : Set.of();
        Set<String> expected = new TreeSet<>();
        for (ModelTube tube : trial.model().tubes()) {
            expected.addAll(sweep(tube, told));
        }
        Sweep sweep = trial.store().sweep(told);
        Set<String> actual = new TreeSet<>();
        for (Sweep.Swept swept : sweep.swept()) {
            swept.ids().forEach(id -> actual.add(swept.tube() + " " + swept.from() + " " + trial.number(id)));
            swept.tasks().forEach(task -> actual.add("told " + trial.number(task.id()) + " " + text(task)));
        }
        trial.same("sweep", expected, actual);
        checkNext(sweep);
    }

    private Set<String> sweep(ModelTube tube, Set<Integer> told) {
        Set<String> swept = new HashSet<>();
        Predicate<Version> due =
                task -> task.event != null && task.event <= trial.model().now();
        tube.seen(0).forEach((number, task) -> {
            if (due.test(task) && !tube.isLocked(number, 0)) {
                swept.add(tube.stored().id() + " " + task.state + " " + number);
                sweep(tube, number, task);
                if (told.contains(tube.stored().id()) && tube.seen(0).get(number) == null) {
                    swept.add("told " + number + " " + text(task));
                }
            }
        });
        return swept;
    }

    private void sweep(ModelTube tube, int number, Version task) {
        switch (task.state) {
            case TAKEN -> trial.model().change(tube, number, task.state, 0, version -> version.letGo(TaskState.READY));
            case DELAYED -> trial.model().change(tube, number, task.state, 0, Version::becomeReady);
            default -> trial.model().remove(tube, number, 0);
        }
    }

    /** With open transactions it may come earlier. */
    private void checkNext(Sweep sweep) {
        Optional<Long> next = trial.model().tubes().stream()
                .flatMap(tube -> tube.seen(0).values().stream())
                .filter(task -> task.event != null)
                .map(task -> task.event - trial.model().now())
                .min(Comparator.naturalOrder());
        Optional<Long> actual = sweep.untilNext().map(Duration::toMillis);
        if (!sweep.swept().isEmpty()) {
            trial.same("there may be more", Optional.of(0L), actual);
        } else if (!trial.model().isAnyInTransaction()) {
            trial.same("until the next deadline", next, actual);
        } else if (next.filter(time -> time > 0).isPresent() && (actual.isEmpty() || actual.get() > next.get())) {
            throw new AssertionError("the next deadline is in " + next + ", the store says " + actual);
        }
    }
}
