package org.tasktube.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.History;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskFailure;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.admin.TaskEvent;
import org.tasktube.admin.TubeChange;
import org.tasktube.spi.Position;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.testing.Calls;
import org.tasktube.testing.DatabaseTestStore;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestStore;
import org.tasktube.testing.TestTransaction;

import static org.assertj.core.api.Assertions.assertThat;

/** Random operations leave the same histories in H2, in PostgreSQL and in temporary tubes. */
@Timeout(300)
@Tag("full")
class HistoriesAgreeTest {

    private static final int ROUNDS = Integer.getInteger("histories.rounds", 6);
    private static final int STEPS = 150;

    private final Holder bean = new Holder(UUID.randomUUID(), 1, Optional.of("shop.Mailer"));
    private Instant now = TestStore.START;
    private long token;
    private boolean switching;

    /** One store, with its tubes and the tasks that were put, in the same order in each store. */
    private static final class Side {

        private final TestStore on;
        private final List<StoredTube> tubes = new ArrayList<>();
        private final List<Long> ids = new ArrayList<>();
        private final List<Integer> tubeOf = new ArrayList<>();
        private final Map<Integer, Task> taken = new HashMap<>();
        private TestTransaction transaction;

        Side(TestStore on) {
            this.on = on;
        }

        <T> T in(Supplier<T> work) {
            return transaction == null ? work.get() : transaction.in(work);
        }

        TaskStore store() {
            return on.tasks();
        }

        TaskId task(int index) {
            return new TaskId(tubes.get(tubeOf.get(index)).id(), ids.get(index));
        }
    }

    private final Map<TestStore.Kind, Side> sides = new EnumMap<>(TestStore.Kind.class);

    @Test
    void random_operations_leave_the_same_histories_in_all_stores() {
        long seed = Long.getLong("histories.seed", System.nanoTime());
        System.out.println("histories.seed=" + seed);
        Random random = new Random(seed);
        try {
            for (TestStore.Kind kind : TestStore.Kind.values()) {
                sides.put(kind, new Side(kind.open()));
            }
            for (int round = 0; round < ROUNDS; round++) {
                round(random, round);
            }
        } finally {
            sides.values().forEach(side -> side.on.close());
        }
    }

    private void round(Random random, int round) {
        String suffix = RunningNode.newName().substring(0, 8);
        History option = round % 4 == 3 ? History.FAILURES : History.ALL;
        switching = round % 4 == 2;
        for (Side side : sides.values()) {
            side.tubes.clear();
            side.ids.clear();
            side.tubeOf.clear();
            side.taken.clear();
            side.tubes.add(side.on.create(TubeDefinition.fifottl("f" + suffix).history(option), false));
            side.tubes.add(side.on.create(TubeDefinition.utubettl("u" + suffix).history(option), true));
            side.tubes.add(
                    side.on.create(TubeDefinition.limfifottl("l" + suffix, 5).history(option), false));
        }
        List<String> trace = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            step(random, trace);
            if (i % 10 == 0) {
                compare(trace);
            }
        }
        endTransaction(true);
        compare(trace);
    }

    private void endTransaction(boolean commit) {
        for (Side side : sides.values()) {
            if (side.transaction != null) {
                if (commit) {
                    side.transaction.commit();
                } else {
                    side.transaction.rollback();
                }
                side.transaction = null;
            }
        }
    }

    private void compare(List<String> trace) {
        Side h2 = sides.get(TestStore.Kind.H2);
        for (int i = 0; i < h2.ids.size(); i++) {
            int index = i;
            List<TaskEvent> expected = events(h2, index);
            sides.forEach((kind, side) -> {
                // In memory the put is a row, which stays when the history is switched off before the task's end
                if (!switching || kind != TestStore.Kind.TEMPORARY) {
                    assertThat(events(side, index))
                            .as(() -> kind + " task " + index + " after " + String.join("\n", trace))
                            .isEqualTo(expected);
                }
            });
        }
    }

    private List<TaskEvent> events(Side side, int index) {
        return side.in(
                () -> side
                        .store()
                        .histories()
                        .of(side.tubes.get(side.tubeOf.get(index)), side.ids.get(index), 0, 500, 0)
                        .moves()
                        .stream()
                        .map(TaskLog.Move::event)
                        .map(HistoriesAgreeTest::withoutHolder)
                        .toList());
    }

    private static final Set<TubeEvent> BY_HOLDER =
            Set.of(TubeEvent.TAKE, TubeEvent.ACK, TubeEvent.DONE, TubeEvent.REQUEUE, TubeEvent.TOUCH);

    private static TaskEvent withoutHolder(TaskEvent event) {
        return BY_HOLDER.contains(event.event())
                ? event
                : new TaskEvent(
                        event.at(),
                        event.event(),
                        event.from(),
                        event.to(),
                        event.attempt(),
                        event.server(),
                        Optional.empty(),
                        Optional.empty(),
                        event.by(),
                        event.until(),
                        event.failure(),
                        event.note());
    }

    /** Does something in all stores; the results must be the same. */
    private <T> T all(List<String> trace, String what, Function<Side, T> work) {
        trace.add(what);
        T expected = null;
        boolean first = true;
        for (Map.Entry<TestStore.Kind, Side> each : sides.entrySet()) {
            T result = each.getValue().in(() -> work.apply(each.getValue()));
            if (first) {
                expected = result;
                first = false;
            } else {
                assertThat(result)
                        .as(() -> each.getKey() + " after " + String.join("\n", trace) + states())
                        .isEqualTo(expected);
            }
        }
        trace.set(trace.size() - 1, what + " = " + expected);
        return expected;
    }

    private String states() {
        StringBuilder text = new StringBuilder("\n");
        sides.forEach((kind, side) -> {
            for (int i = 0; i < side.ids.size(); i++) {
                StoredTube tube = side.tubes.get(side.tubeOf.get(i));
                long id = side.ids.get(i);
                text.append(kind)
                        .append(' ')
                        .append(i)
                        .append(' ')
                        .append(side.store().reads().meta(tube, id))
                        .append('\n');
            }
        });
        return text.toString();
    }

    private void step(Random random, List<String> trace) {
        int tube = random.nextInt(3);
        boolean open = sides.get(TestStore.Kind.H2).transaction != null;
        int count = sides.get(TestStore.Kind.H2).ids.size();
        int task = count == 0 ? -1 : Math.max(0, count - 1 - random.nextInt(12));
        switch (random.nextInt(24)) {
            case 0, 1, 2, 3, 4 -> put(random, trace, tube, task);
            case 5, 6, 7, 8 -> claim(random, trace, open ? 0 : tube);
            case 9, 10, 11, 12, 13 -> ofHolder(random, trace);
            case 14, 15, 16 -> byId(random, trace, task);
            case 17 -> ofMany(random, trace, tube);
            case 18, 19 -> {
                if (!open) {
                    now = now.plusMillis(random.nextInt(1500));
                    sides.values().forEach(side -> side.on.setClock(now));
                    sweep(trace);
                }
            }
            case 20 -> {
                if (!open) {
                    trace.add("begin");
                    sides.values().forEach(side -> side.transaction = side.on.begin());
                }
            }
            case 21 -> {
                if (open) {
                    boolean commit = random.nextBoolean();
                    trace.add(commit ? "commit" : "rollback");
                    endTransaction(commit);
                }
            }
            case 22 -> {
                if (switching && !open) {
                    History option = List.of(History.values()).get(random.nextInt(3));
                    all(trace, "history " + option + " of " + tube, side -> {
                        if (side.on instanceof DatabaseTestStore database) {
                            side.tubes.set(
                                    tube,
                                    database.registry()
                                            .change(side.tubes.get(tube), TubeChange.NONE.history(option))
                                            .orElseThrow());
                        }
                        return true;
                    });
                }
            }
            default -> {
                if (!open) {
                    all(trace, "session end", side -> {
                        for (int of = 0; of < side.tubes.size(); of++) {
                            int each = of;
                            List<Long> ids = side.taken.keySet().stream()
                                    .filter(index -> side.tubeOf.get(index) == each)
                                    .map(side.ids::get)
                                    .toList();
                            Calls.releaseSession(side.store(), side.tubes.get(each), bean.session(), ids);
                        }
                        return true;
                    });
                }
            }
        }
    }

    private void sweep(List<String> trace) {
        all(trace, "sweep at " + now, side -> {
            while (side.store()
                    .sweep(any -> false)
                    .untilNext()
                    .filter(Duration.ZERO::equals)
                    .isPresent()) {
                // More may be due
            }
            return true;
        });
    }

    private void put(Random random, List<String> trace, int tube, int parent) {
        int tasks = random.nextInt(4) == 0 && tube != 2 ? 2 + random.nextInt(2) : 1;
        List<TaskToPut> plans = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            TaskToPut plan = TaskToPut.of("x").pri(random.nextInt(2));
            if (random.nextInt(3) == 0) {
                plan.ttl(Duration.ofMillis(500 + random.nextInt(4000)));
            }
            if (random.nextInt(3) == 0) {
                plan.ttr(Duration.ofMillis(500 + random.nextInt(2000)));
            }
            if (random.nextInt(4) == 0) {
                plan.delay(Duration.ofMillis(500 + random.nextInt(2000)));
            }
            if (random.nextInt(5) == 0) {
                plan.at(Position.first());
            }
            if (random.nextInt(5) == 0) {
                plan.headers(Map.of("a", "b"));
            }
            if (tube == 1 && random.nextInt(4) > 0) {
                plan.utube("q" + random.nextInt(2));
            }
            if (tasks == 1 && random.nextInt(4) == 0) {
                plan.uniqueKey("k" + random.nextInt(2));
            }
            plans.add(plan);
        }
        trace.add(plans.stream()
                .map(TaskToPut::build)
                .map(NewTask::toString)
                .toList()
                .toString());
        boolean byDelivery = parent >= 0 && random.nextInt(4) == 0;
        String who = random.nextInt(3) == 0 ? "anna" : null;
        all(trace, "put into " + tube + " " + tasks + (byDelivery ? " by " + parent : ""), side -> {
            List<NewTask> planned = plans.stream()
                    .map(plan -> byDelivery ? plan.parent(side.task(parent)) : plan)
                    .map(TaskToPut::build)
                    .toList();
            Supplier<Put> put = () -> side.store().put(side.tubes.get(tube), planned);
            Put done = who == null ? put.get() : InName.of(who, put);
            if (done.outcome() == Put.Outcome.DONE) {
                done.ids().forEach(id -> {
                    side.ids.add(id);
                    side.tubeOf.add(tube);
                });
            }
            return done.outcome();
        });
    }

    private void claim(Random random, List<String> trace, int tube) {
        if (sides.get(TestStore.Kind.H2).transaction == null) {
            // In a database, a head whose ttl is over stays the head until the sweep
            sweep(trace);
        }
        int max = 1 + random.nextInt(2);
        long taking = ++token;
        all(
                trace,
                "claim " + max + " of " + tube,
                side ->
                        side
                                .store()
                                .claim(side.tubes.get(tube), bean, taking, ClaimRange.of(OrderKey.START, max))
                                .stream()
                                .map(claimed -> {
                                    int index = side.ids.indexOf(claimed.task().id());
                                    side.taken.put(index, claimed.task());
                                    return index;
                                })
                                .toList());
    }

    private void ofHolder(Random random, List<String> trace) {
        List<Integer> taken = List.copyOf(sides.get(TestStore.Kind.H2).taken.keySet()).stream()
                .sorted()
                .toList();
        if (taken.isEmpty()) {
            return;
        }
        int index = taken.get(random.nextInt(taken.size()));
        int kind = random.nextInt(11);
        int number = random.nextInt(3);
        Duration some = Duration.ofMillis(random.nextInt(1500));
        TaskFailure failure = new TaskFailure("shop.Timeout", "no answer " + number, "at shop.Mailer.send");
        all(trace, "holder's " + kind + " of " + index, side -> {
            StoredTube tube = side.tubes.get(side.tubeOf.get(index));
            Task held = side.taken.get(index);
            TaskStore store = side.store();
            return switch (kind) {
                case 0, 1 -> Calls.ack(store, tube, bean, held);
                case 2 ->
                    Calls.done(
                                    store,
                                    tube,
                                    bean,
                                    held,
                                    new TaskResult(
                                            TaskResult.Outcome.COMPLETED, TaskData.of("ok"), Duration.ofSeconds(2)))
                            .isPresent();
                case 3 -> Calls.release(store, tube, bean, held).isPresent();
                case 4 ->
                    Calls.release(store, tube, bean, held, some, number == 0 ? Optional.of(some) : Optional.empty())
                            .isPresent();
                case 5 -> Calls.requeue(store, tube, bean, held).isPresent();
                case 6 -> Calls.bury(store, tube, bean, held).isPresent();
                case 7 -> Calls.touch(store, tube, bean, held, some).isPresent();
                case 8 -> Calls.heartbeat(store, tube, bean, held).isPresent();
                case 9 ->
                    Calls.fail(store, tube, bean, held, failure, number == 0 ? Optional.empty() : Optional.of(some))
                            .isPresent();
                default ->
                    Calls.returnUnstarted(store, tube, bean, List.of(held)).size();
            };
        });
    }

    private void byId(Random random, List<String> trace, int index) {
        if (index < 0) {
            return;
        }
        int kind = random.nextInt(6);
        boolean named = random.nextBoolean();
        TaskState from = random.nextBoolean() ? TaskState.READY : TaskState.DELAYED;
        NewTask other = random.nextBoolean()
                ? TaskToPut.of("y").ttl(Duration.ofSeconds(3)).build()
                : TaskToPut.of("y").delay(Duration.ofSeconds(1)).build();
        all(trace, "by id " + kind + " " + from + " of " + index, side -> {
            StoredTube tube = side.tubes.get(side.tubeOf.get(index));
            long id = side.ids.get(index);
            TaskStore store = side.store();
            Supplier<Object> work = () -> switch (kind) {
                case 0 -> Calls.dig(store, tube, id).isPresent();
                case 1 -> Calls.delete(store, tube, id);
                case 2, 3 -> Calls.buryUnheld(store, tube, id, from).isPresent();
                default -> store.replace(tube, id, from, other).isPresent();
            };
            return named ? InName.of("berta", work) : work.get();
        });
    }

    private void ofMany(Random random, List<String> trace, int tube) {
        int kind = random.nextInt(8);
        all(trace, "many " + kind + " of " + tube, side -> {
            StoredTube of = side.tubes.get(tube);
            return switch (kind) {
                case 0, 1, 2, 3 -> Calls.kick(side.store(), of, 2).size();
                case 4, 5 -> Calls.releaseAll(side.store(), of).size();
                case 6 ->
                    Calls.truncate(side.store(), of).stream()
                            .mapToLong(TubeCount::tasks)
                            .sum();
                default -> (long) Calls.truncateReturningTasks(side.store(), of).size();
            };
        });
    }
}
