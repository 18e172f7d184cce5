package org.tasktube.testing;

import java.time.Instant;
import org.tasktube.TubeDefinition;
import org.tasktube.store.StoredTube;
import org.tasktube.store.memory.MemoryTaskStore;

/** The store of temporary tubes. */
public final class MemoryTestStore implements TestStore {

    private static final int MAX_TASKS = 10_000;
    private static final long MAX_BYTES = 64 << 20;

    private final ManualTransactions transactions = new ManualTransactions();
    private volatile Instant now = START;
    private final MemoryTaskStore tasks = new MemoryTaskStore(transactions, MAX_TASKS, MAX_BYTES, () -> now);
    private int tubes;

    @Override
    public MemoryTaskStore tasks() {
        return tasks;
    }

    @Override
    public StoredTube create(TubeDefinition tube, boolean subQueues) {
        return new StoredTube(++tubes, tube.asTemporary(), subQueues);
    }

    @Override
    public void drop(StoredTube tube) {
        tasks.drop(tube);
    }

    @Override
    public void setClock(Instant to) {
        now = to;
    }

    @Override
    public TestTransaction begin() {
        ManualTransactions.Transaction begun = transactions.begin();
        transactions.suspend();
        return new InMemory(begun);
    }

    @Override
    public void close() {
        tasks.close();
    }

    private final class InMemory implements TestTransaction {

        private final ManualTransactions.Transaction transaction;
        private boolean ended;

        InMemory(ManualTransactions.Transaction transaction) {
            this.transaction = transaction;
        }

        @Override
        public void resume() {
            transactions.resume(transaction);
        }

        @Override
        public void suspend() {
            transactions.suspend();
        }

        @Override
        public void commit() {
            ended = true;
            transactions.commit(transaction);
        }

        @Override
        public void rollback() {
            ended = true;
            transactions.rollback(transaction);
        }

        @Override
        public void close() {
            if (!ended) {
                rollback();
            }
        }
    }
}
