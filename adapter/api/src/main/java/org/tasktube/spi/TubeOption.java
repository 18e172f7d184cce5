package org.tasktube.spi;

/** What the tasks of a type of tube may have; what they may not have is refused, by the name of the option. */
public enum TubeOption {
    PRI("pri"),
    TTL("ttl"),
    TTR("ttr"),
    DELAY("delay"),
    /** Sub-queues. */
    UTUBE("utube"),
    /** A most number of tasks, which each tube of the type must name then. */
    CAPACITY("capacity");

    private final String option;

    TubeOption(String option) {
        this.option = option;
    }

    /** The name of the option as users write it. */
    public String option() {
        return option;
    }
}
