package org.tasktube.inflow;

import java.time.Duration;

/**
 * When it pays that an ack waits for others: while acks come quickly, and either another delivery runs, whose ack may
 * come, or such a wait has not been in vain lately. A producer that puts its next task after the ack of the last one
 * makes each wait vain. After each vain wait, twice as many acks go without one. Not safe for several threads.
 */
final class AckRhythm {

    /** The mean time between two acks up to which they wait for each other. */
    static final Duration QUICK = Duration.ofMillis(1);

    /** The most acks that go without a wait after vain ones. */
    static final int MOST_WITHOUT = 256;

    /** The weight of the last time between two acks in the mean. */
    private static final double WEIGHT = 1.0 / 16;

    /** A pause in the flow counts as one that is just too long. */
    private static final double LONGEST = 2.0 * QUICK.toNanos();

    private double meanGap = LONGEST;
    private long last;
    private int without;
    private int withoutNext = 1;

    AckRhythm(long now) {
        this.last = now;
    }

    /** Follows an ack, by {@link System#nanoTime}. */
    void came(long now) {
        meanGap += (Math.min((double) (now - last), LONGEST) - meanGap) * WEIGHT;
        last = now;
    }

    /** Returns whether an ack should wait for others now. */
    boolean pays(boolean othersRun) {
        if (meanGap > QUICK.toNanos()) {
            return false;
        }
        if (!othersRun && without > 0) {
            without--;
            return false;
        }
        return true;
    }

    /** Returns the time in nanoseconds without an ack after which none is to be expected soon: twice the mean. */
    long pause() {
        return (long) (2 * meanGap);
    }

    /** Follows a wait. */
    void waited(boolean inVain) {
        withoutNext = inVain ? Math.min(2 * withoutNext, MOST_WITHOUT) : 1;
        without = inVain ? withoutNext : 0;
    }
}
