package org.tasktube.rules;

import org.tasktube.testing.TestDatabase;

/** Where the tasks are. */
enum Store {
    H2("H2", TestDatabase.H2),
    POSTGRESQL("PostgreSQL", TestDatabase.POSTGRESQL),
    MEMORY("memory", TestDatabase.H2);

    private final String words;
    private final TestDatabase database;

    Store(String words, TestDatabase database) {
        this.words = words;
        this.database = database;
    }

    /** The database that has the tasks, or, where those are in memory, all else. */
    TestDatabase database() {
        return database;
    }

    @Override
    public String toString() {
        return words;
    }
}
