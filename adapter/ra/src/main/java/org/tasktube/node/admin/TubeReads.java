package org.tasktube.node.admin;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.TaskDetail;
import org.tasktube.admin.TubeDetail;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.TubeDirectory;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.Situation;
import org.tasktube.store.StoredTube;
import org.tasktube.store.WholeTask;
import org.tasktube.tube.TubeEngine;

/** Reads tubes and single tasks in read-only transactions, unless the caller has a transaction. */
record TubeReads(StoreAccess access, TubeDirectory directory) {

    List<StoredTube> stored() {
        return access.tasks(false).reports().tubes();
    }

    List<TubeDetail> tubes() {
        List<StoredTube> tubes = stored();
        List<StoredTube> withRate = tubes.stream().filter(TubeReads::hasRate).toList();
        Map<Integer, Situation.Used> used =
                withRate.isEmpty() ? Map.of() : access.tasks(false).reports().used(withRate);
        return tubes.stream()
                .map(tube -> new TubeDetail(
                        tube.definition(),
                        directory.of(tube).statistics(),
                        hasRate(tube)
                                ? OptionalInt.of(used.getOrDefault(tube.id(), Situation.Used.NONE)
                                        .takes())
                                : OptionalInt.empty(),
                        tube.index().exists() && !tube.index().isComplete()))
                .toList();
    }

    private static boolean hasRate(StoredTube tube) {
        return tube.definition().takeLimits().maxRate().isPresent();
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
