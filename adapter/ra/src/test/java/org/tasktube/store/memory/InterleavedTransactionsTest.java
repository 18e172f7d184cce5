package org.tasktube.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.Position;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.store.TubeCount;
import org.tasktube.testing.Calls;
import org.tasktube.testing.ManualTransactions;
import org.tasktube.testing.ManualTransactions.Transaction;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Some open transactions take turns in doing what comes, on one thread, and end either way. Beside them a model: the tasks
 * that are committed, and for each transaction what it has made of them. No transaction touches what another has changed,
 * but by claims, which must pass over it.
 */
@Timeout(120)
class InterleavedTransactionsTest {

    private static final int STEPS = 20_000;
    private static final int TRANSACTIONS = 4;
    private static final int CAPACITY = 12;
    private static final Duration TTR = Duration.ofSeconds(20);
    private static final Duration TTL = Duration.ofSeconds(60);

    private final ManualTransactions transactions = new ManualTransactions();
    private final StoredTube tube = new StoredTube(
            7,
            new TubeDefinition(
                    "random",
                    TubeDefinition.UTUBETTL,
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    Duration.ZERO,
                    OptionalInt.of(CAPACITY),
                    true),
            true);
    private final Map<Long, Model> committed = new TreeMap<>();
    private final List<Open> open = new ArrayList<>();
    private final Set<Long> everPut = new HashSet<>();
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");
    private MemoryTaskStore store;
    private Random random;

    /** What the model knows of a task. */
    private record Model(TaskState state, String utube, String key, Optional<Task> held, Holder holder) {
        Model in(TaskState next) {
            return new Model(next, utube, next == TaskState.DONE ? "" : key, Optional.empty(), holder);
        }
    }

    /** An open transaction, and what it has changed; empty for removed. */
    private static final class Open {
        private final Transaction transaction;
        private final Map<Long, Optional<Model>> changed = new TreeMap<>();
        private final Holder holder = new Holder(UUID.randomUUID(), 1);

        Open(Transaction transaction) {
            this.transaction = transaction;
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 20261121, 4711})
    void whatever_transactions_do_all_that_others_see_is_what_was_committed(long seed) {
        random = new Random(seed);
        store = new MemoryTaskStore(transactions, 1_000, 10_000_000, () -> now);
        for (int i = 0; i < STEPS; i++) {
            step();
            if (i % 20 == 0) {
                checkAll();
            }
            if (open.isEmpty()) {
                checkNothingIsStuck();
            }
        }
        while (!open.isEmpty()) {
            end(open.get(0), random.nextBoolean());
        }
        checkAll();
        checkNothingIsStuck();
        Calls.truncate(store, tube);
        committed.clear();
        checkAll();
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(store.put(tube, List.of(newTask("", ""))).outcome()).isEqualTo(Put.Outcome.DONE);
        }
        assertThat(store.put(tube, List.of(newTask("", "")))).isEqualTo(Put.FULL);
    }

    private void step() {
        if (open.size() < TRANSACTIONS && random.nextInt(4) == 0) {
            transactions.begin();
            open.add(new Open(transactions.suspend()));
        }
        if (random.nextInt(50) == 0) {
            now = now.plusSeconds(random.nextInt(30));
            sweep();
        }
        if (open.isEmpty()) {
            return;
        }
        Open one = open.get(random.nextInt(open.size()));
        if (random.nextInt(6) == 0) {
            end(one, random.nextBoolean());
        } else {
            transactions.in(one.transaction, () -> {
                act(one);
                return null;
            });
        }
    }

    private void end(Open one, boolean commit) {
        open.remove(one);
        if (!commit) {
            transactions.rollback(one.transaction);
            return;
        }
        transactions.commit(one.transaction);
        one.changed.forEach(
                (id, model) -> model.ifPresentOrElse(now -> committed.put(id, now), () -> committed.remove(id)));
    }

    // What a transaction does, and what the model says that it does

    private void act(Open one) {
        switch (random.nextInt(4)) {
            case 0 -> put(one);
            case 1 -> claim(one);
            default -> move(one);
        }
    }

    private void put(Open one) {
        String utube = random.nextInt(3) == 0 ? "" : "lane" + random.nextInt(3);
        String key = random.nextInt(3) == 0 ? "key" + random.nextInt(3) : "";
        if (!key.isEmpty() && isUndecided(one, key)) {
            return;
        }
        Put put = store.put(tube, List.of(newTask(utube, key)));
        Optional<Long> there = withKey(one, key);
        if (there.isPresent()) {
            assertThat(put).isEqualTo(Put.exists(there.get()));
        } else if (worst(one, 1) > CAPACITY) {
            assertThat(put).isEqualTo(Put.FULL);
        } else {
            assertThat(put.outcome()).isEqualTo(Put.Outcome.DONE);
            assertThat(everPut.add(put.id())).as("ids are never used again").isTrue();
            one.changed.put(
                    put.id(), Optional.of(new Model(TaskState.READY, utube, key, Optional.empty(), one.holder)));
        }
    }

    private NewTask newTask(String utube, String key) {
        boolean mortal = random.nextInt(3) == 0;
        return new NewTask(
                TaskState.READY,
                random.nextInt(2),
                random.nextInt(5) == 0 ? Position.first() : Position.last(),
                mortal ? Optional.of(TTL) : Optional.empty(),
                mortal ? Optional.of(TTL) : Optional.empty(),
                Optional.of(TTR),
                utube.isEmpty() ? Optional.empty() : Optional.of(utube),
                key.isEmpty() ? Optional.empty() : Optional.of(key),
                TaskData.of("x"));
    }

    /** Whether another transaction decides if there is a task of that key. */
    private boolean isUndecided(Open one, String key) {
        return open.stream().filter(other -> other != one).anyMatch(other -> other.changed.entrySet().stream()
                .anyMatch(change -> hasKey(change.getValue(), key)
                        != hasKey(Optional.ofNullable(committed.get(change.getKey())), key)));
    }

    private static boolean hasKey(Optional<Model> model, String key) {
        return model.filter(there -> there.key.equals(key)).isPresent();
    }

    private Optional<Long> withKey(Open one, String key) {
        return key.isEmpty()
                ? Optional.empty()
                : seen(one).entrySet().stream()
                        .filter(task -> task.getValue().key.equals(key))
                        .map(Map.Entry::getKey)
                        .findFirst();
    }

    /** The most rows that there can be, however the transactions end, if that one puts so many more. */
    private long worst(Open putting, int more) {
        long worst = committed.size();
        for (Open one : open) {
            long net = one == putting ? more : 0;
            for (Map.Entry<Long, Optional<Model>> change : one.changed.entrySet()) {
                net += (change.getValue().isPresent() ? 1 : 0) - (committed.containsKey(change.getKey()) ? 1 : 0);
            }
            worst += Math.max(0, net);
        }
        return worst;
    }

    private void claim(Open one) {
        List<ClaimedTask> claimed = store.claim(tube, one.holder, OrderKey.START, 1 + random.nextInt(3));
        OrderKey last = OrderKey.START;
        for (ClaimedTask task : claimed) {
            long id = task.task().id();
            assertThat(isChangedByAnother(one, id))
                    .as("task " + id + " is another's")
                    .isFalse();
            Model before = seen(one).get(id);
            assertThat(before.state).isEqualTo(TaskState.READY);
            assertThat(task.key()).isGreaterThan(last);
            last = task.key();
            one.changed.put(
                    id,
                    Optional.of(new Model(
                            TaskState.TAKEN, before.utube, before.key, Optional.of(task.task()), one.holder)));
        }
        checkSubQueues();
    }

    private void move(Open one) {
        List<Long> mine = seen(one).keySet().stream()
                .filter(id -> !isChangedByAnother(one, id))
                .toList();
        if (mine.isEmpty()) {
            return;
        }
        long id = mine.get(random.nextInt(mine.size()));
        Model model = seen(one).get(id);
        Optional<Model> next = model.state == TaskState.TAKEN ? moveHeld(id, model) : moveIdle(id, model);
        one.changed.put(id, next);
    }

    private Optional<Model> moveHeld(long id, Model model) {
        Task task = model.held.orElseThrow();
        return switch (random.nextInt(7)) {
            case 0 -> {
                assertThat(Calls.release(store, tube, model.holder, task)).isPresent();
                yield Optional.of(model.in(TaskState.READY));
            }
            case 1 -> {
                assertThat(Calls.requeue(store, tube, model.holder, task)).isPresent();
                yield Optional.of(model.in(TaskState.READY));
            }
            case 2 -> {
                assertThat(Calls.bury(store, tube, model.holder, task)).isPresent();
                yield Optional.of(model.in(TaskState.BURIED));
            }
            case 3 -> {
                assertThat(Calls.done(
                                store,
                                tube,
                                model.holder,
                                task,
                                TaskResult.completed("r").ttl(TTR)))
                        .isPresent();
                yield Optional.of(model.in(TaskState.DONE));
            }
            case 4 -> {
                assertThat(Calls.release(store, tube, model.holder, task, TTR, Optional.empty()))
                        .isPresent();
                yield Optional.of(model.in(TaskState.DELAYED));
            }
            case 5 -> {
                assertThat(Calls.returnUnstarted(store, tube, model.holder, List.of(task)))
                        .hasSize(1);
                yield Optional.of(model.in(TaskState.READY));
            }
            default -> {
                assertThat(Calls.ack(store, tube, model.holder, task))
                        .as("ack of " + id)
                        .isTrue();
                yield Optional.empty();
            }
        };
    }

    private Optional<Model> moveIdle(long id, Model model) {
        if (model.state == TaskState.BURIED && random.nextBoolean()) {
            assertThat(Calls.dig(store, tube, id)).isPresent();
            return Optional.of(model.in(TaskState.READY));
        }
        if ((model.state == TaskState.READY || model.state == TaskState.DELAYED) && random.nextBoolean()) {
            assertThat(Calls.buryUnheld(store, tube, id, model.state)).isPresent();
            return Optional.of(model.in(TaskState.BURIED));
        }
        if (model.state == TaskState.READY && random.nextBoolean()) {
            String utube = "lane" + random.nextInt(3);
            assertThat(store.replace(tube, id, TaskState.READY, newTask(utube, "")))
                    .isPresent();
            return Optional.of(new Model(TaskState.READY, utube, model.key, Optional.empty(), model.holder));
        }
        assertThat(Calls.delete(store, tube, id)).contains(model.state);
        return Optional.empty();
    }

    private boolean sweep() {
        Sweep sweep = store.sweep(Set.of());
        for (Sweep.Swept swept : sweep.swept()) {
            for (long id : swept.done().ids()) {
                assertThat(isChangedByAnother(null, id)).isFalse();
                assertThat(committed.get(id).state).isEqualTo(swept.done().from());
                if (swept.done().from() == TaskState.TAKEN || swept.done().from() == TaskState.DELAYED) {
                    committed.put(id, committed.get(id).in(TaskState.READY));
                } else {
                    committed.remove(id);
                }
            }
        }
        return !sweep.swept().isEmpty();
    }

    // What must be so at all times

    private void checkAll() {
        assertThat(states(committed)).as("what others see").isEqualTo(stored());
        for (Open one : open) {
            Map<Long, TaskState> seen = states(seen(one));
            assertThat(transactions.in(one.transaction, this::stored)).isEqualTo(seen);
            assertThat(transactions.in(one.transaction, () -> store.states(everPut)))
                    .isEqualTo(seen);
            assertThat(transactions.in(one.transaction, () -> sum(store.counts())))
                    .isEqualTo(seen.size());
        }
        assertThat(worst(null, 0)).isLessThanOrEqualTo(CAPACITY);
        checkSubQueues();
    }

    /** Without open transactions all can be taken that is READY, but for those behind in their sub-queues. */
    private void checkNothingIsStuck() {
        boolean more = true;
        while (more) {
            more = sweep();
        }
        Set<String> busy = new HashSet<>();
        committed.values().stream()
                .filter(model -> model.state == TaskState.TAKEN)
                .forEach(model -> busy.add(model.utube));
        busy.remove("");
        long expected = committed.values().stream()
                .filter(model -> model.state == TaskState.READY)
                .filter(model -> model.utube.isEmpty() || busy.add(model.utube))
                .count();
        transactions.begin();
        assertThat(store.claim(tube, new Holder(UUID.randomUUID(), 1), OrderKey.START, 1_000))
                .hasSize((int) expected);
        transactions.rollback();
    }

    private static long sum(List<TubeCount> counts) {
        return counts.stream().mapToLong(TubeCount::tasks).sum();
    }

    /** Of each sub-queue one is taken at most, committed or not. */
    private void checkSubQueues() {
        Map<String, Set<Long>> taken = new HashMap<>();
        addTaken(taken, committed);
        open.forEach(one -> one.changed.forEach((id, model) -> model.ifPresent(there -> addTaken(taken, id, there))));
        taken.forEach((utube, ids) -> assertThat(ids).as("taken of " + utube).hasSize(1));
    }

    private static void addTaken(Map<String, Set<Long>> taken, Map<Long, Model> tasks) {
        tasks.forEach((id, model) -> addTaken(taken, id, model));
    }

    private static void addTaken(Map<String, Set<Long>> taken, long id, Model model) {
        if (model.state == TaskState.TAKEN && !model.utube.isEmpty()) {
            taken.computeIfAbsent(model.utube, none -> new HashSet<>()).add(id);
        }
    }

    private Map<Long, TaskState> stored() {
        Map<Long, TaskState> stored = new TreeMap<>();
        for (TaskState state : TaskState.values()) {
            ids(store.page(tube, state, 0, 1_000)).forEach(id -> stored.put(id, state));
        }
        return stored;
    }

    private static List<Long> ids(Collection<Task> tasks) {
        return tasks.stream().map(Task::id).toList();
    }

    private static Map<Long, TaskState> states(Map<Long, Model> tasks) {
        Map<Long, TaskState> states = new TreeMap<>();
        tasks.forEach((id, model) -> states.put(id, model.state));
        return states;
    }

    private Map<Long, Model> seen(Open one) {
        Map<Long, Model> seen = new TreeMap<>(committed);
        one.changed.forEach((id, model) -> model.ifPresentOrElse(there -> seen.put(id, there), () -> seen.remove(id)));
        return seen;
    }

    private boolean isChangedByAnother(Open one, long id) {
        return open.stream().anyMatch(other -> other != one && other.changed.containsKey(id));
    }
}
