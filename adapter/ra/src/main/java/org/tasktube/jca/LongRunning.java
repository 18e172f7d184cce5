package org.tasktube.jca;

import jakarta.resource.spi.work.HintsContext;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkContext;
import jakarta.resource.spi.work.WorkContextProvider;
import java.util.List;

/** Work that goes on as long as the adapter or a bean does, so that the server gives it a thread made for that. */
public abstract class LongRunning implements Work, WorkContextProvider {

    private static final long serialVersionUID = 1;

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
