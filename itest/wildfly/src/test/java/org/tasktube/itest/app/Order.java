package org.tasktube.itest.app;

/** What a task carries as JSON. */
public record Order(int id, String customer) {}
