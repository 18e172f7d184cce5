package org.tasktube.node.admin;

import java.util.List;
import java.util.Optional;
import org.tasktube.OperationNotFoundException;
import org.tasktube.OperationRefusedException;
import org.tasktube.TubeModes;
import org.tasktube.admin.ChangedTasks;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationPreview;
import org.tasktube.admin.OperationSize;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.StoreAccess;
import org.tasktube.store.sql.Operations;
import org.tasktube.text.OneLine;

/** Starts, lists and cancels acts on many tasks. {@link OperationRunner} runs them. */
final class OperationDesk {

    private final StoreAccess access;
    private final AdminPermits permits;
    private final OperationPreviews previews;
    private final Runnable afterStart;

    OperationDesk(StoreAccess access, TubeCounts counts, AdminPermits permits, Runnable afterStart) {
        this.access = access;
        this.permits = permits;
        this.previews = new OperationPreviews(access, counts, OperationPreview.MAX_LOOK);
        this.afterStart = afterStart;
    }

    OperationPreview preview(OperationAct act, TaskFilter filter) {
        return permits.search(() -> previews.preview(act, filter));
    }

    Operation start(OperationAct act, TaskFilter filter, String by, String reason, OperationSize confirmed) {
        OneLine.check("by", by, TubeModes.MAX_MODE_TEXT);
        OneLine.check("reason", reason, TubeModes.MAX_MODE_TEXT);
        // The row has the filter as text, which the server that runs the operation reads
        TaskFilter kept = TaskFilter.parse(filter.toString());
        previews.check(kept);
        if (confirmed.tasks() == 0 && !confirmed.isLeast()) {
            throw new OperationRefusedException("the confirmed number of tasks is 0: no task for the filter '" + kept
                    + "' is in a state for " + act + ", which are " + act.from()
                    + "; change the filter, or choose another act");
        }
        Operation started = operations().add(act, kept, by, reason, confirmed);
        afterStart.run();
        return started;
    }

    List<Operation> page(Optional<Long> before, int limit) {
        if (limit < 1 || limit > TaskAdmin.MAX_PAGE) {
            throw new IllegalArgumentException("limit " + limit + " is not from 1 to " + TaskAdmin.MAX_PAGE);
        }
        return permits.read(() -> operations().page(before.orElse(Long.MAX_VALUE), limit));
    }

    Operation get(long id) {
        return permits.read(() -> find(id));
    }

    List<ChangedTasks> changed(long id, long after, int limit) {
        if (limit < 1 || limit > TaskAdmin.MAX_PAGE) {
            throw new IllegalArgumentException("limit " + limit + " is not from 1 to " + TaskAdmin.MAX_PAGE);
        }
        return permits.read(() -> {
            find(id);
            return operations().changed(id, after, limit);
        });
    }

    private Operation find(long id) {
        return operations().find(id).orElseThrow(() -> new OperationNotFoundException(id));
    }

    Operation cancel(long id, String by, String reason) {
        OneLine.check("by", by, TubeModes.MAX_MODE_TEXT);
        OneLine.check("reason", reason, TubeModes.MAX_MODE_TEXT);
        boolean cancelled = operations().cancel(id, by, reason);
        Operation now = find(id);
        if (!cancelled && now.state() != OperationState.CANCELLED) {
            throw new OperationRefusedException("operation " + id + " is " + now.state()
                    + " and cannot be cancelled; its " + now.changed() + " changes stand");
        }
        return now;
    }

    private Operations operations() {
        return access.operations();
    }
}
