package org.tasktube.node.admin;

import java.util.List;
import java.util.Optional;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.TaskDetail;
import org.tasktube.admin.TubeDetail;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.TubeDirectory;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;
import org.tasktube.store.WholeTask;
import org.tasktube.tube.TubeEngine;

/** Reads tubes and single tasks in read-only transactions, unless the caller has a transaction. */
record TubeReads(StoreAccess access, TubeDirectory directory) {

    List<StoredTube> stored() {
        return access.tasks(false).reports().tubes();
    }

    List<TubeDetail> tubes() {
        return stored().stream()
                .map(tube -> new TubeDetail(
                        tube.definition(),
                        directory.of(tube).statistics(),
                        tube.index().exists() && !tube.index().isComplete()))
                .toList();
    }

    /** Returns the tube of that name. Queries the database only for tubes not seen before. */
    TubeEngine tube(String name) {
        TubeDefinition.checkName(name);
        return directory
                .findKnown(name)
                .or(() -> stored().stream()
                        .filter(tube -> tube.name().equals(name))
                        .findFirst()
                        .map(directory::of))
                .orElseThrow(() -> new TubeNotFoundException(name));
    }

    TaskDetail task(String name, long id) {
        StoredTube tube = tube(name).stored();
        Optional<WholeTask> found = access.tasks(tube).reports().whole(tube, id);
        WholeTask whole = found.orElseThrow(() -> new TaskNotFoundException(name, id));
        ScannedTask scanned = whole.found().task();
        return new TaskDetail(
                new FoundTask(scanned.meta(), whole.found().server(), scanned.contentType(), scanned.size()),
                whole.task(),
                whole.result(),
                whole.failedAt());
    }
}
