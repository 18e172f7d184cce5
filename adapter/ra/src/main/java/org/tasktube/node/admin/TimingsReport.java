package org.tasktube.node.admin;

import java.time.Duration;
import java.util.Comparator;
import org.tasktube.admin.ServerTimings;
import org.tasktube.admin.TubeTimings;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.TubeDirectory;
import org.tasktube.tube.Deadlines;
import org.tasktube.tube.TubeEngine;

/** Reads the times that this server has measured, from memory. */
record TimingsReport(StoreAccess access, TubeDirectory directory, Deadlines deadlines) {

    ServerTimings read() {
        return new ServerTimings(
                directory.known().stream()
                        .map(TimingsReport::of)
                        .sorted(Comparator.comparing(TubeTimings::tube))
                        .toList(),
                deadlines.lag().read(),
                Duration.ofNanos(Math.max(0, deadlines.overdue())),
                access.store().roundTrips().getAsLong());
    }

    private static TubeTimings of(TubeEngine tube) {
        return new TubeTimings(
                tube.name(),
                tube.runtime().counters().waits().read(),
                tube.runtime().counters().runs().read());
    }
}
