package org.tasktube.itest.shards;

/** What a task is about. The tube finds its tasks by their tenant. */
public record OrderPlaced(String tenant, String number) {}
