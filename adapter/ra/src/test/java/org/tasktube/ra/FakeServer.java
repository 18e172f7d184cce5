package org.tasktube.ra;

import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.XATerminator;
import jakarta.resource.spi.work.ExecutionContext;
import jakarta.resource.spi.work.HintsContext;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkContext;
import jakarta.resource.spi.work.WorkContextProvider;
import jakarta.resource.spi.work.WorkListener;
import jakarta.resource.spi.work.WorkManager;
import jakarta.resource.spi.work.WorkRejectedException;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.List;
import java.util.Timer;
import java.util.concurrent.CopyOnWriteArrayList;
import org.tasktube.testing.Jta;

/** A server for an adapter that is started and stopped: a thread for each work, up to a number; no JNDI. */
final class FakeServer implements BootstrapContext, WorkManager {

    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final int most;
    private final WorkManager works;

    FakeServer(int most) {
        this.most = most;
        works = this;
    }

    /** A server whose threads others have as well, such as the beans of a second adapter. */
    FakeServer(WorkManager shared) {
        most = 0;
        works = shared;
    }

    /** A thread for each work that was scheduled, in that order; all of them for work that goes on for long. */
    List<Thread> threads() {
        return threads;
    }

    @Override
    public void scheduleWork(Work work) throws WorkRejectedException {
        if (threads.size() == most) {
            throw new WorkRejectedException("no thread");
        }
        if (!isLongRunning(work)) {
            throw new WorkRejectedException("not marked as long-running");
        }
        Thread thread = new Thread(work, "work");
        threads.add(thread);
        thread.start();
    }

    private static boolean isLongRunning(Work work) {
        return work instanceof WorkContextProvider provider
                && provider.getWorkContexts().stream()
                        .map(HintsContext.class::cast)
                        .anyMatch(hints -> Boolean.TRUE.equals(hints.getHints().get(HintsContext.LONGRUNNING_HINT)));
    }

    @Override
    public WorkManager getWorkManager() {
        return works;
    }

    @Override
    public Timer createTimer() {
        return new Timer(true);
    }

    @Override
    public TransactionSynchronizationRegistry getTransactionSynchronizationRegistry() {
        return Jta.REGISTRY;
    }

    @Override
    public boolean isContextSupported(Class<? extends WorkContext> type) {
        return type == HintsContext.class;
    }

    @Override
    public XATerminator getXATerminator() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void doWork(Work work) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void doWork(Work work, long timeout, ExecutionContext context, WorkListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long startWork(Work work) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long startWork(Work work, long timeout, ExecutionContext context, WorkListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void scheduleWork(Work work, long timeout, ExecutionContext context, WorkListener listener) {
        throw new UnsupportedOperationException();
    }
}
