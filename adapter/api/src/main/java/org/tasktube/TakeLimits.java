package org.tasktube;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What keeps READY tasks of a tube from takes, on all servers together. Each can be set when the tube is created, or
 * later by {@link org.tasktube.admin.TaskAdmin#changeTube}.
 *
 * @param strictOrder true if a task that failed holds its sub-queue, as {@link TubeDefinition#strict()} says
 * @param maxTaken the most TAKEN tasks, 1 to {@value #MOST}; empty for any number
 * @param maxRate the most takes in a time; empty for any number
 */
public record TakeLimits(boolean strictOrder, OptionalInt maxTaken, Optional<Rate> maxRate) {

    /** No limit. */
    public static final TakeLimits NONE = new TakeLimits(false, OptionalInt.empty(), Optional.empty());

    /** The greatest number of both limits. Each such task or take is a row in the database. */
    public static final int MOST = 1_000;

    /**
     * At most so many takes in each window of this length.
     *
     * @param takes 1 to {@value TakeLimits#MOST}
     * @param period 1 ms to {@link TubeDefinition#MAX_DURATION}
     */
    public record Rate(int takes, Duration period) {

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if a value is out of its bounds
         */
        public Rate {
            check("maxRate", takes);
            Limits.checkSpan("the period of maxRate", period);
        }

        @Override
        public String toString() {
            return takes + " in " + period;
        }
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    public TakeLimits {
        maxTaken.ifPresent(value -> check("maxTaken", value));
        Objects.requireNonNull(maxRate, "maxRate");
    }

    private static void check(String name, int value) {
        if (value < 1 || value > MOST) {
            throw new IllegalArgumentException(
                    name + " " + value + " is out of its bounds; set 1 to " + MOST + ", or leave it out for no limit");
        }
    }

    /** Returns whether the number of TAKEN tasks, or of takes in a time, has a limit. */
    public boolean isLimited() {
        return maxTaken.isPresent() || maxRate.isPresent();
    }
}
