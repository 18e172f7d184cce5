package org.tasktube.itest.watchdog;

import java.util.Random;

/**
 * How much the tests do. {@code mvn verify -Pfull} runs each test at its full size, {@code mvn verify} a part of it, and
 * {@code mvn -Pquick} a fourth of the random part.
 */
public final class FullRun {

    private static final boolean FULL = Boolean.getBoolean("full");
    private static final boolean QUICK = Boolean.getBoolean("quick");

    private FullRun() {}

    /** Returns whether this run is a full one. */
    public static boolean is() {
        return FULL;
    }

    /** Returns how many of something a test does in this run. */
    public static int size(int part, int full) {
        return FULL ? full : part;
    }

    /** Returns how many random steps a test makes in this run. */
    public static int steps(int part, int full) {
        return QUICK ? part / 4 : size(part, full);
    }

    /**
     * Returns the seed of a random part, another one in each run; the system property of that name sets it. It is in
     * the output of the test.
     */
    public static long seed(String property) {
        long seed = Long.getLong(property, new Random().nextLong(1L << 48));
        System.out.println("-D" + property + "=" + seed);
        return seed;
    }
}
