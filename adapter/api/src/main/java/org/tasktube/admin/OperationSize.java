package org.tasktube.admin;

/**
 * The number of tasks that an act on many tasks is for, as a look has found it. The user confirms this number, and the
 * operation has it as {@link Operation#expected()}.
 *
 * @param tasks the number of tasks that fit the filter, in states that the act is for
 * @param isLeast true if the look has ended at its bound, so that more may fit: "at least so many". Such an operation
 *     has no bound. Any other one changes at most {@code tasks}
 * @param upTo the greatest id at the time of the look. Tasks that were put later have greater ids and are left out
 */
public record OperationSize(long tasks, boolean isLeast, long upTo) {

    /** @throws IllegalArgumentException if a number is negative */
    public OperationSize {
        if (tasks < 0 || upTo < 0) {
            throw new IllegalArgumentException("the number of tasks, " + tasks + ", or the greatest id, " + upTo
                    + ", is negative; give those of a preview");
        }
    }

    /** Returns the number in words: {@code 834}, or {@code at least 156000}. */
    @Override
    public String toString() {
        return isLeast ? "at least " + tasks : Long.toString(tasks);
    }
}
