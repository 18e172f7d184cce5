package org.tasktube.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * What a history is made of: a seed, how many callers each server has, and the blows of fate. A plan that fails is made
 * smaller as long as it fails.
 */
record Plan(long seed, int callers, List<Blow> blows) {

    private static final int CALLERS = 2;
    private static final int LONGEST_PAUSE_MS = 5_000;
    private static final int LONGEST_MS = 12_000;

    /** What befalls a server. */
    enum Fate {
        /** Some calls of the database fail or lose their answers, for a time. */
        TROUBLE,
        /** All calls of one server fail, for a time. */
        CUT,
        /** All calls of all servers fail, for a time. */
        DATABASE_AWAY,
        /** A server stands still, possibly until others take it for dead. */
        FREEZE,
        /** A server is killed, and starts again after a time. */
        KILL,
        /** The clock of a server is wrong by hours from then on. */
        CLOCK_STEP,
        /** The connections that were leaked on a server are closed. */
        UNDEPLOY
    }

    /**
     * One blow.
     *
     * @param after the time since the blow before
     * @param share how many calls fail, in trouble
     */
    record Blow(int number, Fate fate, Duration after, int server, Duration time, double share) {

        @Override
        public String toString() {
            return fate + " of server-" + server + " for " + time.toMillis() + " ms";
        }
    }

    static Plan of(long seed, int servers, Duration work) {
        Random random = new Random(seed);
        List<Blow> blows = new ArrayList<>();
        Duration at = Duration.ZERO;
        while (at.compareTo(work) < 0) {
            Duration after = Duration.ofMillis(random.nextInt(LONGEST_PAUSE_MS));
            Fate fate = Fate.values()[random.nextInt(Fate.values().length)];
            Duration time = Duration.ofMillis(random.nextInt(LONGEST_MS));
            blows.add(new Blow(blows.size(), fate, after, random.nextInt(servers), time, random.nextDouble() / 4));
            at = at.plus(after);
        }
        return new Plan(seed, CALLERS, blows);
    }

    /** Returns the plans that have less in them. */
    List<Plan> smaller() {
        List<Plan> plans = new ArrayList<>();
        if (callers > 1) {
            plans.add(new Plan(seed, callers - 1, blows));
        }
        IntStream.range(0, blows.size()).forEach(left -> {
            List<Blow> fewer = new ArrayList<>(blows);
            Blow gone = fewer.remove(left);
            if (left < fewer.size()) {
                Blow next = fewer.get(left);
                fewer.set(
                        left,
                        new Blow(
                                next.number,
                                next.fate,
                                next.after.plus(gone.after),
                                next.server,
                                next.time,
                                next.share));
            }
            plans.add(new Plan(seed, callers, fewer));
        });
        return plans;
    }
}
