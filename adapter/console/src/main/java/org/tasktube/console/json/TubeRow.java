package org.tasktube.console.json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.tasktube.TakeLimits;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.TubeDetail;

/**
 * A tube with its numbers. A member without a value is absent.
 *
 * @param name the name
 * @param type the type
 * @param temporary true if a crash of the database removes its tasks
 * @param mode OPEN, PAUSED or DRAINING
 * @param modeBy the user or the server that set the mode
 * @param modeSince the time since which the tube has the mode
 * @param modeReason the reason of the pause or drain
 * @param ready the number of READY tasks
 * @param delayed the number of DELAYED tasks
 * @param taken the number of TAKEN tasks
 * @param buried the number of BURIED tasks
 * @param done the number of DONE tasks, whose results are kept
 * @param total the number of all tasks
 * @param ended the number of tasks that ended on this server since its start
 * @param events the number of events of each kind on this server since its start
 * @param oldestReady the age of the oldest READY task
 * @param oldestReadySince the time of its put
 * @param pri the default priority of a put
 * @param ttl the default time to live
 * @param ttr the default time to run
 * @param delay the default delay
 * @param capacity the largest number of tasks
 * @param history OFF, FAILURES or ALL: the moves of tasks that the tube keeps
 * @param historyRetention the time for which the tube keeps them
 * @param searchable the fields of the data that searches find by an index
 * @param strict true if a failed task holds its sub-queue; absent otherwise
 * @param maxTaken the most TAKEN tasks
 * @param maxRate the most takes in the period
 * @param ratePeriod the period of maxRate
 * @param takes the takes of the last period
 * @param indexing true while that index lacks tasks, so that searches read all; absent otherwise
 */
public record TubeRow(
        String name,
        String type,
        boolean temporary,
        String mode,
        String modeBy,
        Instant modeSince,
        String modeReason,
        long ready,
        long delayed,
        long taken,
        long buried,
        long done,
        long total,
        long ended,
        Map<String, Long> events,
        Duration oldestReady,
        Instant oldestReadySince,
        int pri,
        Duration ttl,
        Duration ttr,
        Duration delay,
        Integer capacity,
        String history,
        Duration historyRetention,
        List<String> searchable,
        Boolean strict,
        Integer maxTaken,
        Integer maxRate,
        Duration ratePeriod,
        Integer takes,
        Boolean indexing) {

    /** Returns the row of a tube; its oldest READY task is null if it has none. */
    public static TubeRow of(TubeDetail detail, OldestReady oldest) {
        TubeDefinition tube = detail.definition();
        TubeStatistics numbers = detail.statistics();
        Optional<TakeLimits.Rate> rate = tube.takeLimits().maxRate();
        Map<String, Long> events = new TreeMap<>();
        numbers.events().forEach((event, count) -> events.put(event.name(), count));
        return new TubeRow(
                tube.name(),
                tube.type(),
                tube.temporary(),
                numbers.mode().name(),
                numbers.modeBy(),
                numbers.modeSince(),
                numbers.modeReason(),
                numbers.ready(),
                numbers.delayed(),
                numbers.taken(),
                numbers.buried(),
                numbers.results(),
                numbers.total(),
                numbers.endedSinceStart(),
                events,
                oldest == null ? null : oldest.age(),
                oldest == null ? null : oldest.put(),
                tube.pri(),
                tube.ttl().orElse(null),
                tube.ttr().orElse(null),
                tube.delay(),
                number(tube.capacity()),
                tube.history().name(),
                tube.historyRetention(),
                tube.searchable(),
                tube.takeLimits().strictOrder() ? true : null,
                number(tube.takeLimits().maxTaken()),
                rate.map(TakeLimits.Rate::takes).orElse(null),
                rate.map(TakeLimits.Rate::period).orElse(null),
                number(detail.takes()),
                detail.indexing() ? true : null);
    }

    private static Integer number(OptionalInt value) {
        return value.isPresent() ? value.getAsInt() : null;
    }

    /** Returns the row without the age, which is another one at each read. */
    public TubeRow ageless() {
        return new TubeRow(
                name,
                type,
                temporary,
                mode,
                modeBy,
                modeSince,
                modeReason,
                ready,
                delayed,
                taken,
                buried,
                done,
                total,
                ended,
                events,
                null,
                oldestReadySince,
                pri,
                ttl,
                ttr,
                delay,
                capacity,
                history,
                historyRetention,
                searchable,
                strict,
                maxTaken,
                maxRate,
                ratePeriod,
                takes,
                indexing);
    }
}
