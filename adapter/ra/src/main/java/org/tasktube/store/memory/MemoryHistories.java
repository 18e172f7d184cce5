package org.tasktube.store.memory;

import java.time.InstantSource;
import org.tasktube.store.Histories;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskId;
import org.tasktube.store.TaskLog;

/** Reads the histories of temporary tubes as the caller's transaction sees them. */
record MemoryHistories(Memory memory, OpenTransactions transactions, InstantSource clock) implements Histories {

    @Override
    public TaskLog of(StoredTube tube, long id, long after, int moves, int puts) {
        TaskId task = new TaskId(tube.id(), id);
        return transactions.read(transaction -> new TaskLog(
                memory.history
                        .of(transaction, task)
                        .map(MemoryMove::move)
                        .filter(move -> move.number() > after)
                        .limit(moves)
                        .toList(),
                memory.history.of(transaction, task).findFirst().flatMap(MemoryMove::parent),
                memory.history
                        .putBy(transaction, task)
                        .limit(puts)
                        .map(entry -> new TaskLog.Put(
                                entry.task(), entry.move().event().at()))
                        .toList(),
                clock.instant()));
    }

    /** Removes all old moves at once: reading all of them takes some milliseconds. */
    @Override
    public boolean removeOld() {
        return transactions.readAll(open -> {
            memory.history.removeOld(clock.instant());
            return false;
        });
    }
}
