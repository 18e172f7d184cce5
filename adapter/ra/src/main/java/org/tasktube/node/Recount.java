package org.tasktube.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.TaskState;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.tube.TubeEngine;

/**
 * Counts all tasks by state, and corrects the statistics. This reads every task, so it runs on the background thread.
 *
 * <p>A transition that commits while a count begins may be in its result although no effect has counted it yet. Such a
 * count would be wrong for ever on a server that is alone. So a server that is alone counts several times, and corrects
 * by the median. Beside other servers a count also finds what those have done and not told yet. It corrects after the
 * next heartbeats, and by what they have not told then. Tasks that come and go while it counts it can take for a
 * difference. So after a count that has corrected something, and after another server has come, one follows when no
 * server has shown work for some heartbeats. A regular one follows within a minute. Both begin after fifty times the
 * duration of the one before, at the earliest.
 */
final class Recount {

    private static final int COUNTS_ALONE = 5;

    /** The readings after which all is told that was done before: a server writes it with its second heartbeat after. */
    private static final int READINGS = 4;

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    /** PostgreSQL counts some million tasks per second. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(1);

    /** A regular count begins after so many times the duration of the last one: with many tasks it reads for seconds. */
    private static final int REST = 50;

    private static final Duration BETWEEN_COUNTS = Duration.ofMillis(50);

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final DeadServers peers;
    private final BackgroundThread background;
    private final AtomicInteger wanted = new AtomicInteger();
    private volatile boolean uncertain;
    private volatile long restsUntil = System.nanoTime();

    /** What the last count beside other servers has found. */
    private final Map<Difference, Doubt> doubts = new HashMap<>();

    /** The numbers of the others' lines at the last reading for which each of them had told again. */
    private Map<Integer, Long> heard = Map.of();

    /** Those readings since the last count. */
    private int readings;

    /** What follows some of them. */
    private Runnable then = () -> {};

    /** Whether to check when there is no work: a count has corrected something, or a server has come. */
    private boolean unsure;

    /** Whether the next count is such a check. What it corrects is not checked again, or rows by SQL would never end it. */
    private boolean checks;

    /** The readings since the last work. */
    private int quiet;

    Recount(StoreAccess access, TubeDirectory directory, DeadServers peers, BackgroundThread background) {
        this.access = access;
        this.directory = directory;
        this.peers = peers;
        this.background = background;
        // A server that is alone from now on has not counted what the other did last
        peers.onLeave(this::soon);
    }

    /** Returns whether the last count may be wrong, because tasks changed during it or it failed. */
    boolean isUncertain() {
        return uncertain;
    }

    /** Returns whether the last count was so long ago that a regular one may begin. */
    boolean isRested() {
        return System.nanoTime() - restsUntil >= 0;
    }

    /**
     * Reads all tubes and counts all tasks, soon. A count that is under way may have read too early, so another
     * follows.
     */
    void soon() {
        uncertain = true;
        if (wanted.getAndIncrement() == 0) {
            background.execute(this::whileWanted);
        }
    }

    /** Counts if a server that is alone has a negative number: rows have come by SQL. Beside others, a count is near. */
    void ifNegative() {
        if (!peers.hasLivePeers()
                && directory.known().stream()
                        .anyMatch(tube -> tube.runtime().counters().isNegative())) {
            soon();
        }
    }

    private void whileWanted() {
        int served = wanted.get();
        try {
            now();
        } finally {
            if (wanted.addAndGet(-served) > 0) {
                background.execute(this::whileWanted);
            }
        }
    }

    /** Counts if the last count is long enough ago, and if what it has found does not wait for readings any more. */
    synchronized void regularly() {
        if (isRested() && doubts.isEmpty()) {
            soon();
        }
    }

    /** Reads all tubes and counts all tasks. */
    void now() {
        OpenStore from = access.store();
        mend(from);
        try (OpenStore own = own(from)) {
            directory.read(own);
            if (peers.hasLivePeers()) {
                besideOthers(own);
            } else {
                alone(own, COUNTS_ALONE, () -> {});
            }
        }
    }

    /** Limits the waits: on this thread the operations wait behind them. */
    private static OpenStore own(OpenStore from) {
        return from.onOwnConnection(LOCK_TIMEOUT, ANSWER_TIMEOUT);
    }

    /** Counts the tasks of a store that has just opened, and removes the tasks of dropped tubes. */
    CompletableFuture<Void> first(OpenStore from) {
        CompletableFuture<Void> counted = CompletableFuture.runAsync(
                () -> {
                    try (OpenStore own = own(from)) {
                        // What others have not told yet may be in the count, and they will tell it
                        alone(own, 1, () -> {
                            if (peers.hasLivePeers()) {
                                unsure = false;
                                soon();
                            }
                        });
                    }
                },
                background);
        // A server that is alone never recounts, but in H2 a put that commits after a drop leaves its tasks
        background.execute(() -> mend(from));
        return counted;
    }

    private static void mend(OpenStore from) {
        for (TaskStore tasks : List.of(from.tasks(), from.temporary())) {
            tasks.removeOrphans();
            tasks.complete();
        }
    }

    private void besideOthers(OpenStore own) {
        boolean check = begin(() -> {});
        // Before the numbers are read: what is told in between is then in both
        Map<Difference, Long> told = new HashMap<>();
        directory.known().forEach(tube -> {
            for (TaskState state : TaskState.values()) {
                told.put(new Difference(tube, state), tube.runtime().counters().told(state));
            }
        });
        Map<Difference, Doubt> found = new HashMap<>();
        differences(own)
                .forEach((difference, tasks) ->
                        found.put(difference, new Doubt(tasks, told.getOrDefault(difference, 0L), 0, 0)));
        uncertain = !found.isEmpty();
        afterReadings(
                found,
                () -> doubts.forEach((difference, doubt) -> {
                    difference.correctBy(doubt.untold());
                    unsure |= !check && doubt.untold() != 0;
                }));
    }

    private void alone(OpenStore own, int counts, Runnable afterReadings) {
        begin(afterReadings);
        count(own, counts);
    }

    /**
     * Forgets what an earlier count has found: this one finds it, too.
     *
     * @return whether this count is a check
     */
    private synchronized boolean begin(Runnable afterReadings) {
        afterReadings(Map.of(), afterReadings);
        boolean check = checks;
        checks = false;
        return check;
    }

    private synchronized void afterReadings(Map<Difference, Doubt> found, Runnable action) {
        doubts.clear();
        doubts.putAll(found);
        readings = 0;
        then = action;
    }

    /** Follows each reading of what other servers tell. */
    synchronized void told(WorkOfServers.Reading reading) {
        Map<Integer, Long> numbers = reading.numbers();
        doubts.replaceAll((difference, doubt) -> doubt.with(difference.told()));
        unsure |= !heard.keySet().containsAll(numbers.keySet());
        quiet = reading.hasWork() ? 0 : quiet;
        if (numbers.entrySet().stream().anyMatch(each -> each.getValue().equals(heard.get(each.getKey())))) {
            return;
        }
        heard = numbers;
        quiet++;
        readings++;
        if (readings == READINGS) {
            then.run();
            doubts.clear();
        }
        if (unsure && quiet > READINGS && isRested() && !numbers.isEmpty()) {
            unsure = false;
            checks = true;
            soon();
        }
    }

    /** Counts until a count finds the statistics right, at most so many times. */
    private void count(OpenStore own, int counts) {
        Map<Difference, Long> last = differences(own);
        List<Map<Difference, Long>> found = new ArrayList<>(List.of(last));
        while (!last.isEmpty() && found.size() < counts) {
            LockSupport.parkNanos(BETWEEN_COUNTS.toNanos());
            last = differences(own);
            found.add(last);
        }
        uncertain = !last.isEmpty() && Set.copyOf(found).size() > 1;
        if (!last.isEmpty()) {
            found.stream()
                    .flatMap(each -> each.keySet().stream())
                    .distinct()
                    .forEach(difference -> difference.correctBy(median(difference, found)));
        }
    }

    private static long median(Difference difference, List<Map<Difference, Long>> found) {
        return found.stream()
                .map(each -> each.getOrDefault(difference, 0L))
                .sorted()
                .toList()
                .get(found.size() / 2);
    }

    /** A state of a tube, in which the statistics have another number of tasks than the tables. */
    private record Difference(TubeEngine tube, TaskState state) {

        void correctBy(long tasks) {
            tube.runtime().counters().correct(state, tasks);
        }

        long told() {
            return tube.runtime().counters().told(state);
        }
    }

    /**
     * A difference that a count has found beside other servers. A part of it was done and not told then, between the least
     * and the most that was told at one of the next readings.
     *
     * @param before what they had told before the count
     */
    private record Doubt(long difference, long before, long least, long most) {

        Doubt with(long told) {
            return new Doubt(difference, before, Math.min(least, told - before), Math.max(most, told - before));
        }

        /** Returns what they have surely not told. */
        long untold() {
            return difference > most ? difference - most : Math.min(0, difference - least);
        }
    }

    /**
     * Counts once. Returns what the statistics lack, or have too much as a negative number. They are read as late as they
     * can be, since what happens between them and the count is in the result.
     *
     * @param own has its connection already
     */
    private Map<Difference, Long> differences(OpenStore own) {
        Map<Difference, Long> differences = new HashMap<>();
        Map<Integer, TubeEngine> tubes = new HashMap<>();
        long begin = System.nanoTime();
        try {
            for (boolean temporary : List.of(false, true)) {
                directory.known().stream()
                        .filter(tube -> tube.definition().temporary() == temporary)
                        .forEach(tube -> {
                            tubes.put(tube.stored().id(), tube);
                            tube.runtime()
                                    .counters()
                                    .tasks()
                                    .forEach((state, tasks) -> differences.put(new Difference(tube, state), -tasks));
                        });
                own.tasks(temporary).reads().counts().stream()
                        .filter(count -> tubes.containsKey(count.tube()))
                        .forEach(count -> differences.merge(
                                new Difference(tubes.get(count.tube()), count.state()), count.tasks(), Long::sum));
            }
        } finally {
            long end = System.nanoTime();
            restsUntil = Math.max(restsUntil - end, 0) + end + REST * (end - begin);
        }
        differences.values().removeIf(tasks -> tasks == 0);
        return differences;
    }
}
