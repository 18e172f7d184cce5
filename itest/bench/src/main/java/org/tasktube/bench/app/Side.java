package org.tasktube.bench.app;

/** With what something is done. Both sides have a tube in the same tables. */
public enum Side {
    TASKTUBE(Side.TASKTUBE_TUBE),
    JDBC("bench-jdbc");

    static final String TASKTUBE_TUBE = "bench";

    private final String tube;

    Side(String tube) {
        this.tube = tube;
    }

    public String tube() {
        return tube;
    }
}
