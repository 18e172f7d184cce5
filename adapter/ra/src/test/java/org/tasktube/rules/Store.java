package org.tasktube.rules;

import org.tasktube.testing.TestDatabase;

/** Where the tasks are. */
enum Store {
    H2("H2", TestDatabase.H2),
    POSTGRESQL("PostgreSQL", TestDatabase.POSTGRESQL),
    TEMPORARY("temporary tubes on PostgreSQL", TestDatabase.POSTGRESQL);

    private final String words;
    private final TestDatabase database;

    Store(String words, TestDatabase database) {
        this.words = words;
        this.database = database;
    }

    /** The database that has the tasks. */
    TestDatabase database() {
        return database;
    }

    @Override
    public String toString() {
        return words;
    }
}
