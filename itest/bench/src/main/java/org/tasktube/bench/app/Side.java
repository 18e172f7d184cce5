package org.tasktube.bench.app;

/** With what something is done. */
public enum Side {
    TASKTUBE(Side.TASKTUBE_TUBE, "TubeWorker"),
    /** The same with a bean that writes a row of its own. */
    TASKTUBE_ROW(Side.ROW_TUBE, "RowWorker"),
    /** The same with a bean that gets batches. */
    TASKTUBE_BATCH(Side.BATCH_TUBE, "BatchWorker"),
    /** The same in a tube whose tasks have a ttr. */
    TASKTUBE_TTR("bench-ttr", "TtrWorker"),
    /** The same in a tube with a history of all moves. */
    TASKTUBE_HISTORY("bench-history", "HistoryWorker"),
    /** The same in a tube with {@link #SUB_QUEUES} sub-queues. */
    TASKTUBE_SUB("bench-sub", "SubQueueWorker"),
    /** The same in a temporary tube. */
    TASKTUBE_TEMPORARY("bench-temporary", "TemporaryWorker"),
    /** The reference, a small table. */
    SMALL("", ""),
    SMALL_ROW("", ""),
    /** The same by plain JDBC on eight threads, with a claim and a commit of its acks for 64 tasks. */
    SMALL_BATCH("", ""),
    /** Peers, each as its documentation recommends for speed. */
    DB_SCHEDULER("", ""),
    JOBRUNR("", ""),
    ARTEMIS("", "ArtemisWorker"),
    /** A process of its own, whose log is on the disk after a second. */
    BEANSTALKD("", ""),
    /** The adapter's own statements without the adapter. */
    OWN_STATEMENTS("bench-own-statements", "");

    /** How many sub-queues the one tube has. */
    static final int SUB_QUEUES = 100;

    static final String TASKTUBE_TUBE = "bench";
    static final String ROW_TUBE = "bench-row";
    static final String BATCH_TUBE = "bench-batch";

    private final String tube;
    private final String bean;

    Side(String tube, String bean) {
        this.tube = tube;
        this.bean = bean;
    }

    /** Returns the name of its tube; empty if it has none. */
    public String tube() {
        return tube;
    }

    /** Returns the name of its message-driven bean; empty if it has none. */
    public String bean() {
        return bean;
    }

    public boolean isTaskTube() {
        return !tube.isEmpty() && !bean.isEmpty();
    }

    boolean writesRow() {
        return this == TASKTUBE_ROW || this == SMALL_ROW;
    }
}
