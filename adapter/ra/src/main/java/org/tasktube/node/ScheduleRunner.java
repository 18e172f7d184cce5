package org.tasktube.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tasktube.DataTooLargeException;
import org.tasktube.Schedule;
import org.tasktube.ScheduleNotFoundException;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeDrainingException;
import org.tasktube.TubeModes;
import org.tasktube.TubeNotFoundException;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.admin.ScheduleStatus;
import org.tasktube.admin.ScheduleStatus.Skip;
import org.tasktube.admin.ScheduleStatus.SkipReason;
import org.tasktube.store.Put;
import org.tasktube.store.StoredSchedule;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Schedules;
import org.tasktube.text.OneLine;
import org.tasktube.tube.Deadlines;
import org.tasktube.tube.ScheduledPut;
import org.tasktube.tube.TubeEngine;

/**
 * Puts the tasks of schedules. There is no leader: the sweep of any server locks the rows that are due, and a task and the
 * time of the next fire are one commit. So a fire has one task, whatever dies. Only the database's clock decides.
 */
public final class ScheduleRunner {

    /** The most fires per transaction. */
    private static final int BATCH = 100;

    /** How long each fire has a transaction of its own, after one failed. */
    private static final Duration ONE_BY_ONE = Duration.ofSeconds(10);

    private static final Duration RETRY_FAILED = Duration.ofMillis(500);

    /** The time until the next look if other transactions have locked what is due. */
    private static final Duration RETRY = Duration.ofMillis(100);

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final Transactions transactions;
    private final Deadlines deadlines;
    private final MaintenanceEffects effects;

    /** The time of the next look by {@link System#nanoTime}: at a fire, and for those that other servers have added. */
    private volatile long nextLook = System.nanoTime();

    /** Whether a look is wanted that begins from now on. */
    private final AtomicBoolean isWanted = new AtomicBoolean();

    /** When a fire failed lately. Only the maintenance thread uses it. */
    private Optional<Long> failed = Optional.empty();

    ScheduleRunner(
            StoreAccess access,
            TubeDirectory directory,
            Transactions transactions,
            Deadlines deadlines,
            MaintenanceEffects effects) {
        this.access = access;
        this.directory = directory;
        this.transactions = transactions;
        this.deadlines = deadlines;
        this.effects = effects;
    }

    // Calls of applications and of operators

    /** See {@link org.tasktube.TubeConnection#schedule}. */
    boolean put(Schedule schedule) {
        ScheduledPut unused = ScheduledPut.of(tube(schedule), schedule, Map.of());
        FireTimes.checked(schedule, Instant.now());
        boolean changed =
                schedules().put(schedule, now -> FireTimes.of(schedule).next(now, now));
        if (changed) {
            lookAfterCommit();
        }
        return changed;
    }

    boolean remove(String name) {
        return Schedule.isName(name) && schedules().remove(name);
    }

    public List<ScheduleStatus> all() {
        return schedules().all().stream()
                .map(StoredSchedule::status)
                .map(status -> new ScheduleStatus(
                        status.schedule(),
                        status.next(),
                        FireTimes.of(status.schedule()).upcoming(status.next(), ScheduleStatus.UPCOMING),
                        status.last(),
                        status.lastTask(),
                        status.fires(),
                        status.skipped(),
                        status.lastSkip(),
                        status.pause()))
                .toList();
    }

    public Task runNow(String name) {
        StoredSchedule stored = find(name);
        Schedule schedule = stored.status().schedule();
        return ScheduledPut.of(tube(schedule), schedule, headers(stored.status(), stored.now()))
                .byCaller();
    }

    public void pause(String name, String by, String reason) {
        OneLine.check("by", by, TubeModes.MAX_MODE_TEXT);
        OneLine.check("reason", reason, TubeModes.MAX_MODE_TEXT);
        if (!Schedule.isName(name) || !schedules().pause(name, by, reason)) {
            throw new ScheduleNotFoundException(name);
        }
    }

    public void resume(String name) {
        StoredSchedule stored = find(name);
        if (stored.status().pause().isPresent()) {
            Instant next = FireTimes.of(stored.status().schedule())
                    .next(
                            stored.status().next(),
                            latest(stored.now(), stored.status().last()));
            schedules().resume(name, next);
            lookAfterCommit();
        }
    }

    /** If the database's clock has stepped back, a fire that was must not come again. */
    private static Instant latest(Instant now, Optional<Instant> last) {
        return last.filter(now::isBefore).orElse(now);
    }

    private TubeEngine tube(Schedule schedule) {
        return directory.find(schedule.tube()).orElseThrow(() -> new TubeNotFoundException(schedule.tube()));
    }

    private StoredSchedule find(String name) {
        return Optional.of(name)
                .filter(Schedule::isName)
                .flatMap(schedules()::find)
                .orElseThrow(() -> new ScheduleNotFoundException(name));
    }

    private Schedules schedules() {
        return access.schedules();
    }

    /** Has a sweep look soon, without a wait for the time of the next fire that it knows. */
    void lookAfterCommit() {
        transactions.afterCommit(() -> {
            look();
            deadlines.due(Duration.ZERO);
        });
    }

    /** Has the next sweep look, whatever time of the next fire it knows. */
    void look() {
        isWanted.set(true);
    }

    // The sweep

    /** A task that was put, whose effects follow the commit. */
    private record Fired(ScheduledPut put, long id) {}

    /** Puts the tasks of fires that are due, a bounded number. Returns the time until the next look. */
    Duration fire() {
        long left = nextLook - System.nanoTime();
        if (left > 0 && !isWanted.getAndSet(false)) {
            return Duration.ofNanos(left);
        }
        isWanted.set(false);
        Duration next = RETRY_FAILED;
        try {
            next = fireDue(access.store());
        } finally {
            nextLook = System.nanoTime() + next.toNanos();
        }
        return isWanted.get() ? Duration.ZERO : next;
    }

    private Duration fireDue(OpenStore store) {
        Duration next = store.schedules().untilNext().orElse(Deadlines.LONGEST_SLEEP);
        if (!next.isNegative() && !next.isZero()) {
            return next.compareTo(Deadlines.LONGEST_SLEEP) < 0 ? next : Deadlines.LONGEST_SLEEP;
        }
        int most = failed.isEmpty() ? BATCH : 1;
        boolean isMore = fireBatch(store, most) == most;
        // Others have locked what is left
        return isMore ? Duration.ZERO : RETRY;
    }

    /** After a failure each schedule has a transaction of its own, and the one that fails is postponed. */
    private int fireBatch(OpenStore store, int most) {
        List<Fired> fired = new ArrayList<>();
        List<StoredSchedule> due = new ArrayList<>();
        try {
            store.tasks().together(() -> {
                due.addAll(store.schedules().lockDue(most));
                due.forEach(schedule -> fire(store, schedule).ifPresent(fired::add));
                return null;
            });
        } catch (RuntimeException e) {
            boolean isAway = e instanceof StoreException failure && failure.isDatabaseAway();
            if (isAway || due.isEmpty()) {
                throw e;
            }
            failed = Optional.of(System.nanoTime());
            if (due.size() > 1) {
                return most;
            }
            ScheduleStatus status = due.get(0).status();
            Log.LOG.scheduleRefused(status.schedule().name(), status.schedule().tube(), TaskFailure.summary(e));
            store.schedules().postpone(status.schedule().name());
            return most;
        }
        if (failed.filter(at -> System.nanoTime() - at > ONE_BY_ONE.toNanos()).isPresent()) {
            failed = Optional.empty();
        }
        fired.forEach(each -> effects.apply(each.put.tube(), () -> each.put.committed(each.id)));
        return due.size();
    }

    private Optional<Fired> fire(OpenStore store, StoredSchedule stored) {
        ScheduleStatus status = stored.status();
        Schedule schedule = status.schedule();
        FireTimes times = FireTimes.of(schedule);
        Instant fire = times.latest(status.next(), stored.now());
        Instant next = times.next(fire, stored.now());
        Optional<TubeEngine> tube = directory.find(schedule.tube());
        Optional<SkipReason> skip = whyNot(store, stored, fire, tube);
        if (skip.isEmpty()) {
            try {
                ScheduledPut scheduled = ScheduledPut.of(tube.get(), schedule, headers(status, fire));
                Put put = scheduled.in(store.tasks(tube.get().definition().temporary()));
                if (put.outcome() == Put.Outcome.NO_TUBE) {
                    // Another server may have dropped it, and made one of its name
                    directory.forget(tube.get().stored());
                    tube = directory.find(schedule.tube());
                    if (tube.isPresent()) {
                        scheduled = ScheduledPut.of(tube.get(), schedule, headers(status, fire));
                        put = scheduled.in(store.tasks(tube.get().definition().temporary()));
                    }
                }
                skip = switch (put.outcome()) {
                    case DONE, TAKEN -> Optional.empty();
                    case FULL -> Optional.of(SkipReason.FULL);
                    case NO_TUBE, EXISTS -> Optional.of(SkipReason.NO_TUBE);
                };
                if (skip.isEmpty()) {
                    store.schedules().fired(schedule.name(), fire, next, put.id());
                    return Optional.of(new Fired(scheduled, put.id()));
                }
            } catch (TubeDrainingException e) {
                skip = Optional.of(SkipReason.DRAINING);
            } catch (UnsupportedOptionException | DataTooLargeException | IllegalArgumentException e) {
                Log.LOG.scheduleRefused(schedule.name(), schedule.tube(), e.getMessage());
                skip = Optional.of(SkipReason.REFUSED);
            }
        }
        store.schedules().skipped(schedule.name(), new Skip(skip.get(), fire), next);
        logSkip(status, skip.get());
        return Optional.empty();
    }

    /** The first of several skips for one reason, so that a frequent schedule does not fill the log. */
    private static void logSkip(ScheduleStatus status, SkipReason reason) {
        boolean isKnown = status.lastSkip()
                .filter(before -> before.reason() == reason)
                .filter(before -> status.last().filter(before.at()::isBefore).isEmpty())
                .isPresent();
        if (!isKnown && reason != SkipReason.REFUSED) {
            Log.LOG.scheduleSkipped(status.schedule().name(), status.schedule().tube(), reason.name());
        }
    }

    private static Optional<SkipReason> whyNot(
            OpenStore store, StoredSchedule stored, Instant fire, Optional<TubeEngine> tube) {
        Schedule schedule = stored.status().schedule();
        if (tube.isEmpty()) {
            return Optional.of(SkipReason.NO_TUBE);
        }
        Duration late = Duration.between(fire, stored.now());
        if (schedule.skipIfLateBy().filter(most -> late.compareTo(most) > 0).isPresent()) {
            return Optional.of(SkipReason.LATE);
        }
        OptionalLong last = stored.status().lastTask();
        if (schedule.overlap() || last.isEmpty()) {
            return Optional.empty();
        }
        TubeDefinition definition = tube.get().definition();
        TaskState state = store.tasks(definition.temporary())
                .reads()
                .states(List.of(last.getAsLong()))
                .get(last.getAsLong());
        boolean isOpen = state == TaskState.READY || state == TaskState.DELAYED || state == TaskState.TAKEN;
        return isOpen ? Optional.of(SkipReason.OVERLAP) : Optional.empty();
    }

    private static Map<String, String> headers(ScheduleStatus status, Instant fire) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(Schedule.NAME_HEADER, status.schedule().name());
        headers.put(Schedule.FIRE_HEADER, fire.toString());
        status.last().ifPresent(last -> headers.put(Schedule.PREVIOUS_HEADER, last.toString()));
        return headers;
    }
}
