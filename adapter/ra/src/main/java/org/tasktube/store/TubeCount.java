package org.tasktube.store;

import org.tasktube.TaskState;

/** So many tasks of a tube are in a state. */
public record TubeCount(int tube, TaskState state, long tasks) {}
