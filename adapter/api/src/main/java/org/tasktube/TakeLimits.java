package org.tasktube;

/**
 * What keeps READY tasks of a tube from takes, on all servers together. Each can be set when the tube is created, or
 * later by {@link org.tasktube.admin.TaskAdmin#changeTube}.
 *
 * @param strictOrder true if a task that failed holds its sub-queue, as {@link TubeDefinition#strict()} says
 */
public record TakeLimits(boolean strictOrder) {

    /** No limit. */
    public static final TakeLimits NONE = new TakeLimits(false);
}
