package org.tasktube.testing;

import java.time.Instant;
import org.tasktube.TubeDefinition;
import org.tasktube.store.StoredTube;
import org.tasktube.store.sql.TaskStore;

/**
 * A store of its own, under a clock that the test sets, with transactions that the test ends.
 */
public interface TestStore extends AutoCloseable {

    Instant START = Instant.parse("2030-01-01T00:00:00Z");

    /** Opens a new store, whose clock shows {@link #START}. */
    enum Kind {
        H2,
        POSTGRESQL,
        TEMPORARY;

        public TestStore open() {
            return this == TEMPORARY
                    ? new DatabaseTestStore(TestDatabase.POSTGRESQL, true)
                    : new DatabaseTestStore(TestDatabase.valueOf(name()), false);
        }
    }

    TaskStore tasks();

    StoredTube create(TubeDefinition tube, boolean subQueues);

    /** Drops a tube with its tasks, in the thread's transaction if it is in one. */
    void drop(StoredTube tube);

    void setClock(Instant now);

    /** Begins a transaction that no thread is in. */
    TestTransaction begin();

    @Override
    void close();
}
