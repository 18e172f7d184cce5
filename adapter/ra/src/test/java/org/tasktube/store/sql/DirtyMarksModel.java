package org.tasktube.store.sql;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The rule by which {@code tasktube_promote_heads} moves marks_from, as a model: two that put, one of them twice, and
 * one promoter that begins again and again. Each step is one that PostgreSQL does at once; any transaction can be
 * rolled back. All orders of the steps are tried.
 */
final class DirtyMarksModel {

    /** The rule, or what is wrong with it. */
    enum Variant {
        AS_IT_IS,
        /** As it is, and the promoter has changed something before, so that it has a number already. */
        EARLY_PROMOTER,
        /** marks_end is the number after the latest transaction that has ended, and not the promoter's own. */
        LATEST_THAT_ENDED,
        /** The id of a mark is taken before the transaction has its number. */
        ID_BEFORE_NUMBER,
        /** marks_from moves past all that was promoted, without reading which transactions are open. */
        WITHOUT_WAITING,
        /** The promoter has its number before it reads the latest id, and writes that down. */
        EARLY_PROMOTER_WRITES,
        /** marks_from moves past marks that were left for the next promoter. */
        PAST_WHAT_IS_LEFT
    }

    private static final int PROMOTERS = 3;

    /** How many marks one promoter promotes. */
    private static final int BATCH = 1;

    private static final int NONE = 0;

    private final Variant variant;
    private final Set<State> seen = new HashSet<>();

    DirtyMarksModel(Variant variant) {
        this.variant = variant;
    }

    /** A state in which a mark is lost, or empty if there is none; all reachable states are checked. */
    Optional<String> lostMark() {
        return search(State.first(), List.of());
    }

    int states() {
        return seen.size();
    }

    private Optional<String> search(State state, List<String> path) {
        if (!seen.add(state)) {
            return Optional.empty();
        }
        if (state.losesMark()) {
            return Optional.of(path.toString());
        }
        List<Step> next = new ArrayList<>();
        for (int i = 0; i < state.puts.size(); i++) {
            next.addAll(putSteps(state, i));
        }
        next.addAll(promoterSteps(state));
        for (Step step : next) {
            List<String> further = new ArrayList<>(path);
            further.add(step.name);
            Optional<String> lost = search(step.then, further);
            if (lost.isPresent()) {
                return lost;
            }
        }
        return Optional.empty();
    }

    private record Step(String name, State then) {}

    // Transactions that put: a number, with the task; an id, with the mark; perhaps another one; the end

    /** One that puts in some transactions, one after the other. */
    private record Put(int left, int at, int number, List<Integer> marks) {

        static Put begin(int left) {
            return new Put(left, 0, NONE, List.of());
        }

        boolean open() {
            return number != NONE;
        }
    }

    private List<Step> putSteps(State state, int index) {
        Put put = state.puts.get(index);
        if (put.left == 0) {
            return List.of();
        }
        String who = "put " + index;
        boolean idFirst = variant == Variant.ID_BEFORE_NUMBER;
        return switch (put.at) {
            case 0 -> List.of(idFirst ? state.takesId(who, index) : state.takesNumber(who, index));
            case 1 -> List.of(idFirst ? state.takesNumber(who, index) : state.takesId(who, index));
            case 2 -> List.of(state.takesId(who, index), state.ends(who, index, true), state.ends(who, index, false));
            default -> List.of(state.ends(who, index, true), state.ends(who, index, false));
        };
    }

    // The promoter: reads, promotes, writes down, ends

    /** What one promoter has read and will have changed with its commit. */
    private record Promoter(
            int round, int at, int number, int next, int latest, int ended, NavigableSet<Integer> promoted, Tube tube) {

        static Promoter begin(int round) {
            return new Promoter(round, 0, NONE, 0, 0, NONE, new TreeSet<>(), Tube.FIRST);
        }
    }

    private record Tube(int from, int upto, int end) {
        static final Tube FIRST = new Tube(1, NONE, NONE);
    }

    private List<Step> promoterSteps(State state) {
        Promoter promoter = state.promoter;
        if (promoter.round == PROMOTERS) {
            return List.of();
        }
        boolean early = variant == Variant.EARLY_PROMOTER || variant == Variant.EARLY_PROMOTER_WRITES;
        return switch (promoter.at) {
            case 0 -> early ? List.of(state.promoterTakesNumber()) : List.of(reads(state));
            case 1 -> List.of(reads(state));
            case 2 -> List.of(promotes(state));
            case 3 -> List.of(writes(state));
            default -> List.of(state.promoterEnds(true), state.promoterEnds(false));
        };
    }

    /** One statement: the tube's row, the latest mark, and which transactions are open. */
    private Step reads(State state) {
        Tube tube = state.tube;
        int xmax = state.completed + 1;
        int xmin = state.openNumbers().min().stream()
                .map(open -> Math.min(open, xmax))
                .findFirst()
                .orElse(xmax);
        boolean restored = variant == Variant.LATEST_THAT_ENDED ? tube.end > xmax : tube.end >= xmax;
        int ended = tube.end != NONE && (tube.end <= xmin || restored) ? tube.upto : NONE;
        int latest = state.marks.isEmpty() ? NONE : state.marks.last();
        Promoter now = state.promoter;
        return state.with(
                "promoter reads",
                new Promoter(now.round, 2, now.number, tube.from, latest, ended, new TreeSet<>(), tube));
    }

    /** A later statement, which also sees what was committed after the first. */
    private Step promotes(State state) {
        Promoter now = state.promoter;
        NavigableSet<Integer> promoted = new TreeSet<>();
        state.marks.stream()
                .filter(mark -> mark >= now.next && mark <= now.latest)
                .limit(BATCH)
                .forEach(promoted::add);
        int next = promoted.isEmpty() ? now.next : promoted.last() + 1;
        return state.with(
                "promoter promotes " + promoted,
                new Promoter(now.round, 3, now.number, next, now.latest, now.ended, promoted, now.tube));
    }

    private Step writes(State state) {
        Promoter now = state.promoter;
        int upto = variant == Variant.WITHOUT_WAITING
                ? now.next - 1
                : variant == Variant.PAST_WHAT_IS_LEFT ? now.ended : Math.min(now.ended, now.next - 1);
        int from = Math.max(now.tube.from, upto + 1);
        boolean hadNumber = now.number != NONE;
        State numbered = hadNumber ? state : state.promoterTakesNumber().then;
        Promoter own = numbered.promoter;
        boolean writes = now.latest > now.tube.upto && (!hadNumber || variant == Variant.EARLY_PROMOTER_WRITES);
        int end = variant == Variant.LATEST_THAT_ENDED ? state.completed + 1 : own.number;
        Tube tube = writes ? new Tube(from, now.latest, end) : new Tube(from, now.tube.upto, now.tube.end);
        return numbered.with(
                "promoter writes " + tube,
                new Promoter(now.round, 4, own.number, now.next, now.latest, now.ended, now.promoted, tube));
    }

    /**
     * What the database knows.
     *
     * @param completed the highest number of a transaction that has ended
     * @param marks those that are committed and not promoted
     */
    private record State(
            int nextNumber,
            int nextMark,
            int completed,
            NavigableSet<Integer> marks,
            Tube tube,
            List<Put> puts,
            Promoter promoter) {

        static State first() {
            return new State(
                    1, 1, 0, new TreeSet<>(), Tube.FIRST, List.of(Put.begin(2), Put.begin(1)), Promoter.begin(0));
        }

        /** Promoters read marks from marks_from on, now and for ever. */
        boolean losesMark() {
            return !marks.isEmpty() && marks.first() < tube.from;
        }

        IntStream openNumbers() {
            IntStream putting = puts.stream().filter(Put::open).mapToInt(Put::number);
            return promoter.number == NONE ? putting : IntStream.concat(putting, IntStream.of(promoter.number));
        }

        Step takesNumber(String who, int index) {
            Put put = puts.get(index);
            return new Step(
                    who + " changes a task, is number " + nextNumber,
                    new State(nextNumber + 1, nextMark, completed, marks, tube, puts, promoter)
                            .with(index, new Put(put.left, put.at + 1, nextNumber, put.marks)));
        }

        Step takesId(String who, int index) {
            Put put = puts.get(index);
            List<Integer> ids = new ArrayList<>(put.marks);
            ids.add(nextMark);
            return new Step(
                    who + " leaves mark " + nextMark,
                    new State(nextNumber, nextMark + 1, completed, marks, tube, puts, promoter)
                            .with(index, new Put(put.left, put.at + 1, put.number, ids)));
        }

        Step ends(String who, int index, boolean commit) {
            Put put = puts.get(index);
            NavigableSet<Integer> after = new TreeSet<>(marks);
            if (commit) {
                after.addAll(put.marks);
            }
            return new Step(
                    who + (commit ? " commits" : " rolls back"),
                    new State(nextNumber, nextMark, Math.max(completed, put.number), after, tube, puts, promoter)
                            .with(index, Put.begin(put.left - 1)));
        }

        Step promoterTakesNumber() {
            Promoter now = promoter;
            return new Step(
                    "promoter is number " + nextNumber,
                    new State(nextNumber + 1, nextMark, completed, marks, tube, puts, promoter)
                            .with(
                                    "",
                                    new Promoter(
                                            now.round,
                                            now.at + 1,
                                            nextNumber,
                                            now.next,
                                            now.latest,
                                            now.ended,
                                            now.promoted,
                                            now.tube))
                            .then);
        }

        Step promoterEnds(boolean commit) {
            NavigableSet<Integer> after = new TreeSet<>(marks);
            if (commit) {
                after.removeAll(promoter.promoted);
            }
            return new Step(
                    commit ? "promoter commits" : "promoter rolls back",
                    new State(
                            nextNumber,
                            nextMark,
                            Math.max(completed, promoter.number),
                            after,
                            commit ? promoter.tube : tube,
                            puts,
                            Promoter.begin(promoter.round + 1)));
        }

        Step with(String name, Promoter changed) {
            return new Step(name, new State(nextNumber, nextMark, completed, marks, tube, puts, changed));
        }

        private State with(int index, Put changed) {
            List<Put> after = new ArrayList<>(puts);
            after.set(index, changed);
            return new State(nextNumber, nextMark, completed, marks, tube, List.copyOf(after), promoter);
        }
    }
}
