package org.tasktube.node.admin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.tasktube.OperationNotFoundException;
import org.tasktube.OperationRefusedException;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeModes;
import org.tasktube.admin.BulkAct;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationPreview;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.OwnTubes;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.TubeDirectory;
import org.tasktube.store.Operations;
import org.tasktube.text.OneLine;
import org.tasktube.tube.TubeEngine;

/** Starts, lists and cancels acts on many tasks. {@link OperationWorker} runs them. */
final class OperationDesk {

    /** The time after which the task of an operation is READY again if its server does not send a heartbeat. */
    static final Duration TTR = Duration.ofMinutes(1);

    private static final TubeDefinition TUBE =
            TubeDefinition.fifottl(Operation.TUBE).ttr(TTR);

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final AdminPermits permits;
    private final OperationPreviews previews;
    private final Function<TubeEngine, Tube> handles;
    private final Runnable afterStart;

    OperationDesk(
            StoreAccess access,
            TubeDirectory directory,
            AdminPermits permits,
            Function<TubeEngine, Tube> handles,
            Runnable afterStart) {
        this.access = access;
        this.directory = directory;
        this.permits = permits;
        this.previews = new OperationPreviews(access, OperationPreview.MAX_LOOK);
        this.handles = handles;
        this.afterStart = afterStart;
    }

    OperationPreview preview(BulkAct act, TaskFilter filter) {
        return permits.search(() -> previews.preview(act, filter));
    }

    Operation start(BulkAct act, TaskFilter filter, String by, String reason) {
        OneLine.check("by", by, TubeModes.MAX_MODE_TEXT);
        OneLine.check("reason", reason, TubeModes.MAX_MODE_TEXT);
        // The row has the filter as text, which the server that runs the operation reads
        TaskFilter kept = TaskFilter.parse(filter.toString());
        OperationPreview preview = preview(act, kept);
        if (preview.fits() == 0 && !preview.isMore()) {
            throw new OperationRefusedException("no task fits: of the " + preview.count() + " tasks for the filter '"
                    + kept + "' none is in a state for " + act + ", which are " + act.from()
                    + "; change the filter, or choose another act");
        }
        Tube tube = handles.apply(tube());
        Operation started = access.tasks(false).together(() -> {
            Task task = tube.put(act.name());
            operations().add(task.id(), act, kept, by, reason, preview.count());
            return find(task.id());
        });
        // The effects of the put may have come before the commit
        afterStart.run();
        return started;
    }

    /** Returns the tube, which exists for all from the first call on, also if the caller's transaction rolls back. */
    private TubeEngine tube() {
        TubeEngine tube = directory.find(Operation.TUBE).orElseGet(this::create);
        if (!OwnTubes.isOwn(tube.definition())) {
            throw new OperationRefusedException("tube '" + Operation.TUBE + "' exists as " + tube.definition()
                    + ", and TaskTube needs a tube of this name of its own; drop that tube");
        }
        return tube;
    }

    private TubeEngine create() {
        return directory
                .create(TUBE, false)
                .or(() -> directory.find(Operation.TUBE))
                .orElseThrow(() -> new OperationRefusedException(
                        "tube '" + Operation.TUBE + "' was dropped at this moment; repeat the call"));
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

    private Operation find(long id) {
        return operations().find(id).orElseThrow(() -> new OperationNotFoundException(id));
    }

    Operation cancel(long id, String by) {
        OneLine.check("by", by, TubeModes.MAX_MODE_TEXT);
        boolean cancelled = operations().end(id, OperationState.CANCELLED, Optional.of(by), Optional.empty());
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
