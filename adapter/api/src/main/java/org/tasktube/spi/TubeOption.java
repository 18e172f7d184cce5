package org.tasktube.spi;

/** The options that the tasks of a type can have. TaskTube refuses any other option by its name. */
public enum TubeOption {
    PRI("pri"),
    TTL("ttl"),
    TTR("ttr"),
    DELAY("delay"),
    /** Sub-queues. */
    UTUBE("utube"),
    /** A largest number of tasks. Each tube of the type must then set it. */
    CAPACITY("capacity");

    private final String option;

    TubeOption(String option) {
        this.option = option;
    }

    /** Returns the name of the option as users write it. */
    public String option() {
        return option;
    }
}
