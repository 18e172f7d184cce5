package org.tasktube.jca;

import jakarta.resource.spi.work.HintsContext;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkContext;
import jakarta.resource.spi.work.WorkContextProvider;
import java.util.List;

/**
 * Work that runs as long as the adapter or a bean. The hint makes the server use a thread for long-running work.
 *
 * <p>The work is forgotten when it ends. WildFly's threads refer to their first work for as long as they live. Through
 * it they would keep an adapter or application in memory that was redeployed long ago.
 */
public final class LongRunning implements Work, WorkContextProvider {

    private static final long serialVersionUID = 1;

    private transient volatile Runnable task;

    public LongRunning(Runnable task) {
        this.task = task;
    }

    @Override
    public void run() {
        Runnable mine = task;
        try {
            if (mine != null) {
                mine.run();
            }
        } finally {
            task = null;
        }
    }

    /** Cancels work that has not begun. The server keeps it in its queue until it has a thread. */
    public void cancel() {
        task = null;
    }

    @Override
    public List<WorkContext> getWorkContexts() {
        HintsContext hints = new HintsContext();
        hints.setHint(HintsContext.LONGRUNNING_HINT, true);
        return List.of(hints);
    }

    /** Has no effect: the work ends by the adapter's own means, and the server calls this late or never. */
    @Override
    public void release() {}
}
