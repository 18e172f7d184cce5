package org.tasktube.node;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.tasktube.store.Sweep;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.tube.Deadlines;
import org.tasktube.tube.TubeEngine;

/** Applies expired ttls, ttrs, delays and session ttrs, and the fires of schedules. One sweep runs at a time, on the maintenance thread. */
final class Sweeper {

    /** The delay after which a failed sweep is repeated. */
    private static final Duration RETRY = Duration.ofMillis(500);

    private final StoreAccess access;
    private final Deadlines deadlines;
    private final Sessions sessions;
    private final TubeDirectory directory;
    private final MaintenanceEffects effects;
    private final ScheduleRunner schedules;

    /** Only the maintenance thread uses it. */
    private boolean isBehind;

    Sweeper(
            StoreAccess access,
            Deadlines deadlines,
            Sessions sessions,
            TubeDirectory directory,
            MaintenanceEffects effects,
            ScheduleRunner schedules) {
        this.access = access;
        this.deadlines = deadlines;
        this.sessions = sessions;
        this.directory = directory;
        this.effects = effects;
        this.schedules = schedules;
    }

    /**
     * Applies expired deadlines, a bounded number, and arms the timer for the next. Returns the time until then; zero if
     * more may be due, for which no timer is armed: see {@link #isBehind}.
     */
    Duration sweep() {
        deadlines.swept();
        isBehind = false;
        Duration next = RETRY;
        try {
            next = min(sessions.expire(), sweep(access.store().tasks()));
            if (directory.hasTemporary()) {
                next = min(next, sweep(access.store().temporary()));
            }
        } finally {
            isBehind = next.isZero();
            if (!isBehind) {
                deadlines.due(next);
            }
            deadlines.due(schedules.fire());
        }
        return next;
    }

    /** Returns whether the last sweep may have left some that are due. Other work goes before the next one. */
    boolean isBehind() {
        return isBehind;
    }

    private Duration sweep(TaskStore tasks) {
        Sweep sweep = tasks.sweep(
                tube -> directory.byId(tube).filter(TubeEngine::isListenedTo).isPresent());
        sweep.lags().forEach(late -> deadlines.lag().add(TimeUnit.MICROSECONDS.convert(late)));
        for (Sweep.Swept swept : sweep.swept()) {
            directory.byId(swept.tube()).ifPresent(tube -> effects.apply(tube, () -> tube.swept(swept.done())));
        }
        return min(sweep.untilNext().orElse(Deadlines.LONGEST_SLEEP), Deadlines.LONGEST_SLEEP);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
