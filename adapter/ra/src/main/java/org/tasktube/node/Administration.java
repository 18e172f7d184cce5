package org.tasktube.node;

import java.util.List;
import java.util.Optional;
import org.tasktube.FailureGroup;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;
import org.tasktube.admin.WaitingTask;

/** The administration of all tubes, each part by a class of its own. */
final class Administration implements TaskAdmin {

    private final TaskSearch search;

    Administration(TaskSearch search) {
        this.search = search;
    }

    @Override
    public TaskPage search(TaskFilter filter, Optional<String> from, int limit) {
        return search.search(filter, from, limit);
    }

    @Override
    public List<FailureGroup> failures(int most) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ServerStatus> servers() {
        throw new UnsupportedOperationException();
    }

    @Override
    public WaitingTask whyWaiting(String tube, long id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<OldestReady> oldestReady() {
        throw new UnsupportedOperationException();
    }
}
