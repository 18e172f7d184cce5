package org.tasktube.bench.app;

/** With what something is done. */
public enum Side {
    TASKTUBE(Side.TASKTUBE_TUBE),
    /** The same with a bean that writes a row of its own. */
    TASKTUBE_ROW(Side.ROW_TUBE),
    /** The same with a bean that gets batches. */
    TASKTUBE_BATCH(Side.BATCH_TUBE),
    /** The reference, a small table. */
    SMALL(""),
    SMALL_ROW(""),
    /** The same by plain JDBC on eight threads, with a claim and a commit of its acks for 64 tasks. */
    SMALL_BATCH(""),
    /** Peers, each as its documentation recommends for speed. */
    DB_SCHEDULER(""),
    JOBRUNR(""),
    ARTEMIS(""),
    /** The adapter's own statements without the adapter. */
    OWN_STATEMENTS("bench-own-statements");

    static final String TASKTUBE_TUBE = "bench";
    static final String ROW_TUBE = "bench-row";
    static final String BATCH_TUBE = "bench-batch";

    private final String tube;

    Side(String tube) {
        this.tube = tube;
    }

    /** Returns the name of its tube; empty if it has none. */
    public String tube() {
        return tube;
    }

    public boolean isTaskTube() {
        return this == TASKTUBE || this == TASKTUBE_ROW || this == TASKTUBE_BATCH;
    }

    boolean writesRow() {
        return this == TASKTUBE_ROW || this == SMALL_ROW;
    }
}
