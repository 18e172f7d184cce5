package org.tasktube.tube;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The wait queue's promise: while the pool has what a waiter in it can use, a wake is under way or a waiter tries to
 * take. Checked in all interleavings of a few waiters and events over a pool that stands for the store, and in random
 * ones of more.
 */
class WaitQueueTest {

    private static final long RANDOM_RUNS = 20_000;

    /** What becomes of a waiter besides the usual. */
    private enum Fate {
        TAKES,
        /** Its connection is closed as it is woken: it enters, and leaves by an exception. */
        IS_CLOSED,
        /** Its first attempt finds something or nothing, its second one throws. */
        ATTEMPT_FAILS,
        /** Its time is over: it tries for the last time, and leaves. */
        TIMES_OUT,
        /** It is interrupted. */
        IS_INTERRUPTED,
        /** It takes, and returns the task, as one whose connection was closed as the database answered. */
        RETURNS
    }

    /** Ways to use the wait queue wrongly, which the search must find, or it would find nothing. */
    private enum Breach {
        NONE,
        /** What the wait queue did once: an entry forgot that there may be more. */
        ENTRY_FORGETS_THE_WAKE,
        FOUND_IS_NOT_SAID,
        TRIES_BEFORE_IT_ENTERS,
        LEAVES_WITHOUT_CLOSE,
        /** An attempt that failed counts as one that found nothing. */
        FAILED_ATTEMPT_SPENDS_THE_WAKE,
        /** One that needs several keeps a wake for a single one. */
        CHOOSY_COUNTS_AS_ANY
    }

    /** A waiter to be: how many it needs at once, and its fate. */
    private record Comer(int needs, Fate fate) {}

    /** One after the other: what becomes ready, and how the wait queue is notified. */
    private record Event(int count, boolean ofAnotherServer) {}

    private record Scenario(List<Comer> comers, List<Event> events, int thefts, Breach breach) {

        Scenario breaking(Breach other) {
            return new Scenario(comers, events, thefts, other);
        }
    }

    // One run

    private static final class World {

        private final Breach breach;
        private final WaitQueue queue = new WaitQueue(() -> {});
        private final List<Actor> actors = new ArrayList<>();
        private int pool;

        World(Scenario scenario) {
            breach = scenario.breach();
            scenario.comers().forEach(comer -> actors.add(new Taker(comer)));
            actors.add(new Producer(scenario.events()));
            IntStream.range(0, scenario.thefts()).forEach(i -> actors.add(new Thief()));
        }

        List<Integer> enabled() {
            return IntStream.range(0, actors.size())
                    .filter(i -> actors.get(i).isEnabled())
                    .boxed()
                    .toList();
        }

        void step(int actor) {
            actors.get(actor).step();
        }

        /** At rest a waiter sleeps though the pool has enough for it. */
        boolean isForgotten() {
            return enabled().isEmpty() && actors.stream().anyMatch(Actor::couldHaveSome);
        }

        String signature() {
            return pool + " " + actors;
        }

        private abstract static class Actor {

            abstract boolean isEnabled();

            abstract void step();

            boolean couldHaveSome() {
                return false;
            }
        }

        private final class Producer extends Actor {

            private final List<Event> events;
            private int steps;

            Producer(List<Event> events) {
                this.events = events;
            }

            @Override
            boolean isEnabled() {
                return steps < 2 * events.size();
            }

            /** The commit first, then the wait queue is notified. */
            @Override
            void step() {
                Event event = events.get(steps / 2);
                if (steps++ % 2 == 0) {
                    pool += event.count();
                } else if (!event.ofAnotherServer()) {
                    queue.wake(event.count());
                } else if (queue.length() > 0 && pool > 0) {
                    queue.wakeOneForMore();
                }
            }

            @Override
            public String toString() {
                return "producer " + steps;
            }
        }

        /** Takes without being in the wait queue. */
        private final class Thief extends Actor {

            private boolean done;

            @Override
            boolean isEnabled() {
                return !done;
            }

            @Override
            void step() {
                done = true;
                pool -= Math.min(pool, 1);
            }

            @Override
            public String toString() {
                return "thief " + done;
            }
        }

        private enum Phase {
            ENTER,
            ATTEMPT,
            FOUND,
            AWAIT,
            ASLEEP,
            LAST_ATTEMPT,
            RETURN,
            WAKE_FOR_RETURNED,
            CLOSE,
            LEFT
        }

        private final class Taker extends Actor {

            private final Comer comer;
            private final WaitQueue.Waiter waiter;
            private Phase phase = breach == Breach.TRIES_BEFORE_IT_ENTERS ? Phase.ATTEMPT : Phase.ENTER;
            private boolean woken;

            Taker(Comer comer) {
                this.comer = comer;
                this.waiter = comer.needs() > 1 && breach != Breach.CHOOSY_COUNTS_AS_ANY
                        ? queue.choosyWaiter()
                        : queue.waiter();
            }

            @Override
            boolean isEnabled() {
                boolean wakesByItself = comer.fate() == Fate.TIMES_OUT || comer.fate() == Fate.IS_INTERRUPTED;
                return phase != Phase.LEFT && (phase != Phase.ASLEEP || waiter.isWoken() || wakesByItself);
            }

            @Override
            boolean couldHaveSome() {
                return phase == Phase.ASLEEP && pool >= comer.needs();
            }

            @Override
            void step() {
                phase = switch (phase) {
                    case ENTER -> enter();
                    case ATTEMPT -> attempt();
                    case FOUND -> found();
                    case AWAIT -> await();
                    case ASLEEP -> wakeUp();
                    case LAST_ATTEMPT -> lastAttempt();
                    case RETURN -> returnUnstarted();
                    case WAKE_FOR_RETURNED -> wakeForReturned();
                    case CLOSE, LEFT -> close();
                };
            }

            private Phase enter() {
                waiter.enter();
                if (breach == Breach.ENTRY_FORGETS_THE_WAKE) {
                    awaitBriefly();
                }
                if (breach == Breach.TRIES_BEFORE_IT_ENTERS) {
                    return Phase.AWAIT;
                }
                return woken && comer.fate() == Fate.IS_CLOSED ? Phase.CLOSE : Phase.ATTEMPT;
            }

            private Phase attempt() {
                if (woken && comer.fate() == Fate.ATTEMPT_FAILS) {
                    if (breach == Breach.FAILED_ATTEMPT_SPENDS_THE_WAKE) {
                        awaitBriefly();
                    }
                    return Phase.CLOSE;
                }
                if (take()) {
                    return Phase.FOUND;
                }
                return breach == Breach.TRIES_BEFORE_IT_ENTERS ? Phase.ENTER : Phase.AWAIT;
            }

            private boolean take() {
                boolean enough = pool >= comer.needs();
                pool -= enough ? comer.needs() : 0;
                return enough;
            }

            private Phase found() {
                if (breach != Breach.FOUND_IS_NOT_SAID) {
                    waiter.found();
                } else {
                    awaitBriefly();
                }
                return comer.fate() == Fate.RETURNS ? Phase.RETURN : Phase.CLOSE;
            }

            private Phase await() {
                return awaitBriefly() ? wokenUp() : Phase.ASLEEP;
            }

            private Phase wakeUp() {
                return awaitBriefly() ? wokenUp() : wokenByItself();
            }

            private Phase wokenUp() {
                woken = true;
                return switch (comer.fate()) {
                    case TIMES_OUT -> Phase.LAST_ATTEMPT;
                    case IS_INTERRUPTED -> Phase.CLOSE;
                    default -> breach == Breach.TRIES_BEFORE_IT_ENTERS ? Phase.ATTEMPT : Phase.ENTER;
                };
            }

            private Phase wokenByItself() {
                return comer.fate() == Fate.TIMES_OUT ? Phase.LAST_ATTEMPT : Phase.CLOSE;
            }

            private boolean awaitBriefly() {
                try {
                    return waiter.await(0);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }

            private Phase lastAttempt() {
                take();
                return Phase.CLOSE;
            }

            private Phase returnUnstarted() {
                pool += comer.needs();
                return Phase.WAKE_FOR_RETURNED;
            }

            private Phase wakeForReturned() {
                queue.wake(comer.needs());
                return Phase.CLOSE;
            }

            private Phase close() {
                if (breach != Breach.LEAVES_WITHOUT_CLOSE) {
                    waiter.close();
                }
                return Phase.LEFT;
            }

            @Override
            public String toString() {
                return phase + " " + woken + " " + waiter;
            }
        }
    }

    // All runs

    /** The steps of a run that ends with a waiter in the wait queue beside what it waits for, if there is one. */
    private static Optional<List<Integer>> search(Scenario scenario) {
        Set<String> seen = new HashSet<>();
        Deque<List<Integer>> open = new ArrayDeque<>();
        open.push(List.of());
        while (!open.isEmpty()) {
            List<Integer> path = open.pop();
            World world = replay(scenario, path);
            if (world.isForgotten()) {
                return Optional.of(path);
            }
            for (int actor : world.enabled()) {
                List<Integer> longer = new ArrayList<>(path);
                longer.add(actor);
                if (seen.add(replay(scenario, longer).signature())) {
                    open.push(longer);
                }
            }
        }
        return Optional.empty();
    }

    private static World replay(Scenario scenario, List<Integer> path) {
        World world = new World(scenario);
        path.forEach(world::step);
        return world;
    }

    private static String trace(Scenario scenario, List<Integer> path) {
        StringBuilder trace = new StringBuilder(scenario.toString());
        World world = new World(scenario);
        path.forEach(actor -> {
            world.step(actor);
            trace.append('\n').append(actor).append(": ").append(world.signature());
        });
        return trace.toString();
    }

    private static void check(Scenario scenario) {
        assertThat(search(scenario).map(path -> trace(scenario, path))).isEmpty();
    }

    private static Scenario scenario(List<Event> events, int thefts, Comer... comers) {
        return new Scenario(Arrays.asList(comers), events, thefts, Breach.NONE);
    }

    private static Comer one(Fate fate) {
        return new Comer(1, fate);
    }

    private static Scenario ofAnotherServer(Fate fate) {
        return scenario(List.of(new Event(2, true)), 0, one(fate), one(Fate.TAKES), one(Fate.TAKES));
    }

    @ParameterizedTest
    @EnumSource
    void one_task_is_not_forgotten_whatever_becomes_of_the_one_that_it_woke(Fate fate) {
        check(scenario(List.of(new Event(1, false)), 0, one(fate), one(Fate.TAKES), one(fate)));
        check(scenario(List.of(new Event(1, false), new Event(1, false)), 1, one(fate), one(Fate.TAKES)));
    }

    @ParameterizedTest
    @EnumSource
    void tasks_of_another_server_all_find_their_waiters(Fate fate) {
        check(ofAnotherServer(fate));
    }

    @ParameterizedTest
    @EnumSource
    void who_needs_several_leaves_single_ones_to_others(Fate fate) {
        check(scenario(List.of(new Event(1, false)), 0, new Comer(2, fate), one(Fate.TAKES)));
        check(scenario(
                List.of(new Event(1, false), new Event(1, false)), 0, new Comer(2, fate), new Comer(2, Fate.TAKES)));
        check(scenario(List.of(new Event(1, true)), 0, new Comer(2, Fate.TAKES), new Comer(3, fate), one(fate)));
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void the_search_finds_a_wait_queue_that_is_used_wrongly(Breach breach) {
        List<Scenario> all = new ArrayList<>();
        for (Fate fate : Fate.values()) {
            all.add(ofAnotherServer(fate));
            all.add(scenario(List.of(new Event(1, false)), 0, one(fate), one(Fate.TAKES)));
            all.add(scenario(List.of(new Event(1, false)), 0, new Comer(2, fate), one(Fate.TAKES)));
        }
        assertThat(all.stream()
                        .map(scenario -> scenario.breaking(breach))
                        .flatMap(scenario -> search(scenario).stream()))
                .isNotEmpty();
    }

    @Test
    void nothing_is_forgotten_in_random_runs_of_many() {
        for (long seed = 0; seed < RANDOM_RUNS; seed++) {
            Random random = new Random(seed);
            Scenario scenario = any(random);
            World world = new World(scenario);
            List<Integer> path = new ArrayList<>();
            for (List<Integer> enabled = world.enabled(); !enabled.isEmpty(); enabled = world.enabled()) {
                int actor = enabled.get(random.nextInt(enabled.size()));
                path.add(actor);
                world.step(actor);
            }
            assertThat(world.isForgotten() ? trace(scenario, path) : "")
                    .as("seed " + seed)
                    .isEmpty();
        }
    }

    private static Scenario any(Random random) {
        Fate[] fates = Fate.values();
        List<Comer> comers = random.ints(2 + random.nextInt(6), 0, fates.length)
                .mapToObj(i -> new Comer(random.nextInt(4) == 0 ? 2 + random.nextInt(2) : 1, fates[i]))
                .toList();
        List<Event> events = random.ints(1 + random.nextInt(4), 1, 5)
                .mapToObj(count -> new Event(count, random.nextBoolean()))
                .toList();
        return new Scenario(comers, events, random.nextInt(3), Breach.NONE);
    }
}
