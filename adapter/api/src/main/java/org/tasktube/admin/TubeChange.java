package org.tasktube.admin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.tasktube.History;
import org.tasktube.TakeLimits;
import org.tasktube.TubeDefinition;

/**
 * New defaults of an existing tube. A value that is empty stays as it is. Instances are immutable, and each method
 * returns a changed copy. {@link TubeDefinition} has the bounds of the values, which {@link TaskAdmin#changeTube}
 * checks.
 *
 * @param pri the default priority
 * @param ttl the default time to live; zero for none
 * @param ttr the default time to run; zero for none
 * @param delay the default delay
 * @param history the moves of tasks to keep from now on. The moves that are kept already stay for the retention
 * @param historyRetention the time for which they are kept; it holds for the moves that are kept already, too
 * @param searchable the searchable fields in place of the present ones; an empty list for none. Searches by new ones use
 *     an index as soon as it has all tasks
 * @param strict whether a task that fails from now on holds its sub-queue; false also lets all held sub-queues go on
 * @param maxTaken the most TAKEN tasks. If more are TAKEN now, no other one is until enough have ended
 * @param maxRate the most takes in a time
 */
public record TubeChange(
        OptionalInt pri,
        Optional<Duration> ttl,
        Optional<Duration> ttr,
        Optional<Duration> delay,
        Optional<History> history,
        Optional<Duration> historyRetention,
        Optional<List<String>> searchable,
        Optional<Boolean> strict,
        Optional<OptionalInt> maxTaken,
        Optional<Optional<TakeLimits.Rate>> maxRate) {

    /** A change of nothing. */
    public static final TubeChange NONE = new TubeChange(
            OptionalInt.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    /** Returns a copy with a default priority, from 0. */
    public TubeChange pri(int value) {
        return new TubeChange(
                OptionalInt.of(value),
                ttl,
                ttr,
                delay,
                history,
                historyRetention,
                searchable,
                strict,
                maxTaken,
                maxRate);
    }

    /** Returns a copy with a default time to live; zero for none. */
    public TubeChange ttl(Duration value) {
        return new TubeChange(
                pri, Optional.of(value), ttr, delay, history, historyRetention, searchable, strict, maxTaken, maxRate);
    }

    /** Returns a copy with a default time to run; zero for none. */
    public TubeChange ttr(Duration value) {
        return new TubeChange(
                pri, ttl, Optional.of(value), delay, history, historyRetention, searchable, strict, maxTaken, maxRate);
    }

    /** Returns a copy with a default delay. */
    public TubeChange delay(Duration value) {
        return new TubeChange(
                pri, ttl, ttr, Optional.of(value), history, historyRetention, searchable, strict, maxTaken, maxRate);
    }

    /** Returns a copy with the moves of tasks to keep. */
    public TubeChange history(History value) {
        return new TubeChange(
                pri, ttl, ttr, delay, Optional.of(value), historyRetention, searchable, strict, maxTaken, maxRate);
    }

    /** Returns a copy with the time for which moves are kept. */
    public TubeChange historyRetention(Duration value) {
        return new TubeChange(pri, ttl, ttr, delay, history, Optional.of(value), searchable, strict, maxTaken, maxRate);
    }

    /** Returns a copy with these searchable fields; none for no arguments. */
    public TubeChange searchable(String... fields) {
        return new TubeChange(
                pri,
                ttl,
                ttr,
                delay,
                history,
                historyRetention,
                Optional.of(List.of(fields)),
                strict,
                maxTaken,
                maxRate);
    }

    /** Returns a copy with or without strict order of the sub-queues. */
    public TubeChange strict(boolean value) {
        return new TubeChange(
                pri, ttl, ttr, delay, history, historyRetention, searchable, Optional.of(value), maxTaken, maxRate);
    }

    /** Returns a copy with a limit of TAKEN tasks; empty for none. */
    public TubeChange maxTaken(OptionalInt value) {
        return new TubeChange(
                pri, ttl, ttr, delay, history, historyRetention, searchable, strict, Optional.of(value), maxRate);
    }

    /** Returns a copy with a limit of takes in a time; empty for none. */
    public TubeChange maxRate(Optional<TakeLimits.Rate> value) {
        return new TubeChange(
                pri, ttl, ttr, delay, history, historyRetention, searchable, strict, maxTaken, Optional.of(value));
    }

    /**
     * Returns the definition of a tube after this change.
     *
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    public TubeDefinition applyTo(TubeDefinition tube) {
        return new TubeDefinition(
                tube.name(),
                tube.type(),
                pri.orElse(tube.pri()),
                ttl.isPresent() ? ttl.filter(value -> !value.isZero()) : tube.ttl(),
                ttr.isPresent() ? ttr.filter(value -> !value.isZero()) : tube.ttr(),
                delay.orElse(tube.delay()),
                tube.capacity(),
                tube.temporary(),
                history.orElse(tube.history()),
                historyRetention.orElse(tube.historyRetention()),
                searchable.orElse(tube.searchable()),
                new TakeLimits(
                        strict.orElse(tube.takeLimits().strictOrder()),
                        maxTaken.orElse(tube.takeLimits().maxTaken()),
                        maxRate.orElse(tube.takeLimits().maxRate())));
    }
}
