package org.tasktube.jca;

import jakarta.resource.spi.work.HintsContext;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkContext;
import jakarta.resource.spi.work.WorkContextProvider;
import java.util.List;

/**
 * Work that goes on as long as the adapter or a bean does, so that the server gives it a thread made for that.
 *
 * <p>It forgets at its end what it ran: WildFly's threads remember the first work that they did for as long as they live,
 * and through it would keep an adapter or an application in memory that was redeployed long ago.
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

    /** Has nothing run if it has not begun: a server keeps in its queue what it has no thread for. */
    public void cancel() {
        task = null;
    }

    @Override
    public List<WorkContext> getWorkContexts() {
        HintsContext hints = new HintsContext();
        hints.setHint(HintsContext.LONGRUNNING_HINT, true);
        return List.of(hints);
    }

    /** Ends by the adapter's own means; the server calls this late, if at all. */
    @Override
    public void release() {}
}
