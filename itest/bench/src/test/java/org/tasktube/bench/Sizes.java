package org.tasktube.bench;

import java.time.Duration;
import java.util.List;

/**
 * How much of everything.
 *
 * @param starts how often the server is started to compare the two sides
 * @param roundsPerStart how often each side is measured after a start
 * @param rounds how often everything else is measured, after the last start
 * @param warmUp tasks that each side puts and drains first, before flows
 * @param tasks put and drained in a round
 * @param flow put and drained at once in a round
 * @param latency put one by one in a round
 * @param waiting what waits while others of it are drained
 * @param delayed tasks that stay DELAYED during that
 * @param idle how long it is watched
 * @param horizon how long an old snapshot is kept
 * @param inFew what waits in few sub-queues, of which tasks are worked off in a round
 * @param many so many sub-queues of one task each, all of which are worked off in a round
 * @param blocked tasks that are blocked by held ones
 * @param besides so many tasks wait in another tube, one number after the other
 */
record Sizes(
        int starts,
        int roundsPerStart,
        int rounds,
        int warmUp,
        int tasks,
        int flow,
        int latency,
        int waiting,
        int delayed,
        Duration idle,
        Duration horizon,
        int inFew,
        int many,
        int blocked,
        List<Integer> besides) {

    static final int FEW = 10;

    /** WildFly needs 30,000 tasks until the figures of puts and drains are steady. */
    static final Sizes FULL = new Sizes(
            3,
            3,
            5,
            30_000,
            30_000,
            30_000,
            1_000,
            1_000_000,
            100_000,
            Duration.ofSeconds(20),
            Duration.ofMinutes(3),
            1_500_000,
            100_000,
            100_000,
            List.of(1_000, 1_000_000, 10_000_000));

    /** To see that it runs; the figures mean nothing. */
    static final Sizes QUICK = new Sizes(
            2,
            2,
            2,
            100,
            200,
            100,
            20,
            2_000,
            200,
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            2_000,
            200,
            500,
            List.of(10, 100));
}
