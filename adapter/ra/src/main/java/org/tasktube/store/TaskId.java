package org.tasktube.store;

/** A task by the number of its tube and its id. It may be gone. */
public record TaskId(int tube, long id) {}
