package org.tasktube.node.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.tasktube.OperationRefusedException;
import org.tasktube.TaskState;
import org.tasktube.admin.FilterField;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationPreview;
import org.tasktube.admin.OperationSize;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.StoreAccess;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TubeCount;

/** Counts the tasks that an act on many tasks would find, or reads them up to a bound. */
final class OperationPreviews {

    /** The time after which a look ends. */
    private static final Duration MAX_TIME = Duration.ofSeconds(5);

    /** The number of tasks per part. */
    private static final int PART = 2_000;

    private static final Set<FilterField> COUNTED = EnumSet.of(FilterField.TUBE, FilterField.STATE);

    private final StoreAccess access;
    private final TubeCounts counts;
    private final int maxLook;

    OperationPreviews(StoreAccess access, TubeCounts counts, int maxLook) {
        this.access = access;
        this.counts = counts;
        this.maxLook = maxLook;
    }

    /** Returns the tubes that an operation acts on. */
    static List<StoredTube> tubes(TaskFilter filter, List<StoredTube> all) {
        return all.stream().filter(tube -> filter.fitsTube(tube.name())).toList();
    }

    OperationPreview preview(OperationAct act, TaskFilter filter) {
        List<StoredTube> tubes = checkedTubes(filter);
        // Before the look: what is put during it is left out, too
        long upTo = Math.max(
                access.tasks(false).reports().lastId(),
                access.tasks(true).reports().lastId());
        Look look = new Look(act, filter, tubes);
        Optional<List<TubeCount>> counted =
                filter.conditions().stream().allMatch(condition -> COUNTED.contains(condition.field()))
                        ? counts.of(tubes, filter.states())
                        : Optional.empty();
        if (counted.isPresent()) {
            look.count(counted.get());
        } else {
            look.read();
        }
        return look.preview(upTo);
    }

    /**
     * Checks that an operation reaches a tube.
     *
     * @throws OperationRefusedException if it reaches none
     */
    void check(TaskFilter filter) {
        checkedTubes(filter);
    }

    private List<StoredTube> checkedTubes(TaskFilter filter) {
        List<StoredTube> wanted = tubes(filter, access.registry().tubes());
        if (wanted.isEmpty()) {
            throw new OperationRefusedException(
                    "the filter '" + filter + "' allows no tube that exists; name another tube");
        }
        return wanted;
    }

    /** One look. */
    private final class Look {

        private final OperationAct act;
        private final TaskFilter filter;
        private final List<StoredTube> tubes;
        private final TaskMatch match;
        private final Set<TaskState> fitting;
        private final long end = System.nanoTime() + MAX_TIME.toNanos();
        private final Map<String, Long> byTube = new TreeMap<>();
        private final List<FoundTask> samples = new ArrayList<>();
        private long matching;
        private long fits;
        private long looked;
        private boolean moreFit;
        private boolean moreMatch;

        Look(OperationAct act, TaskFilter filter, List<StoredTube> tubes) {
            this.act = act;
            this.filter = filter;
            this.tubes = tubes;
            match = new TaskMatch(filter, tubes, access);
            fitting = EnumSet.copyOf(act.from());
            fitting.retainAll(filter.states());
        }

        void count(List<TubeCount> counts) {
            for (TubeCount count : counts) {
                matching += count.tasks();
                if (fitting.contains(count.state()) && count.tasks() > 0) {
                    fits += count.tasks();
                    byTube.merge(match.names().get(count.tube()), count.tasks(), Long::sum);
                }
            }
            if (fits > 0) {
                tasksIn(fitting).after("", OperationPreview.MAX_SAMPLES).tasks().forEach(this::addSample);
            }
        }

        /** Reads the tasks that the act is for, and then the others. */
        void read() {
            MatchingTasks first = tasksIn(fitting);
            moreFit = !isRead(first);
            moreMatch = moreFit;
            if (!first.areNamed() && !moreFit) {
                Set<TaskState> others = EnumSet.copyOf(filter.states());
                others.removeAll(fitting);
                moreMatch = !isRead(tasksIn(others));
            }
        }

        private MatchingTasks tasksIn(Set<TaskState> states) {
            return MatchingTasks.toLookAt(states, filter, tubes, match, access::tasks);
        }

        /** Reads tasks. Returns false if the bound has ended that. */
        private boolean isRead(MatchingTasks tasks) {
            Optional<String> place = Optional.of("");
            while (place.isPresent()) {
                if (looked >= maxLook || System.nanoTime() - end > 0) {
                    return false;
                }
                MatchingTasks.Part part = tasks.after(place.get(), PART);
                part.tasks().forEach(this::add);
                looked += part.read();
                place = part.next();
            }
            return true;
        }

        private void add(ScannedTask task) {
            matching++;
            if (act.from().contains(task.meta().state())) {
                fits++;
                byTube.merge(task.meta().tube(), 1L, Long::sum);
                addSample(task);
            }
        }

        private void addSample(ScannedTask task) {
            if (samples.size() < OperationPreview.MAX_SAMPLES) {
                samples.add(match.found(task));
            }
        }

        OperationPreview preview(long upTo) {
            return new OperationPreview(
                    act, filter, new OperationSize(fits, moreFit, upTo), matching, moreMatch, looked, byTube, samples);
        }
    }
}
