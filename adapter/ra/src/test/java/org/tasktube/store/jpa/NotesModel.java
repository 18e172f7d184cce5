package org.tasktube.store.jpa;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The rule by which {@code tasktube_settle} moves notes_from, as a model: two that put, one of them twice, and one settler that
 * begins again and again. Each step is one that PostgreSQL does at once; any transaction can be rolled back. All orders of the
 * steps are tried.
 */
final class NotesModel {

    /** The rule, or what is wrong with it. */
    enum Variant {
        AS_IT_IS,
        /** As it is, and the settler has changed something before, so that it has a number already. */
        EARLY_SETTLER,
        /** notes_end is the number after the latest transaction that has ended, and not the settler's own. */
        LATEST_THAT_ENDED,
        /** The id of a note is taken before the transaction has its number. */
        ID_BEFORE_NUMBER,
        /** notes_from moves behind all that was settled, without looking at who is open. */
        WITHOUT_WAITING,
        /** The settler has its number before it reads the latest id, and writes that down. */
        EARLY_SETTLER_WRITES,
        /** notes_from moves behind notes that were left for the next settler. */
        BEHIND_WHAT_IS_LEFT
    }

    private static final int SETTLERS = 3;

    /** How many notes one settler settles. */
    private static final int BATCH = 1;

    private static final int NONE = 0;

    private final Variant variant;
    private final Set<State> seen = new HashSet<>();

    NotesModel(Variant variant) {
        this.variant = variant;
    }

    /** A state in which a note is lost, or empty if there is none; all states that can be reached are looked at. */
    Optional<String> lostNote() {
        return look(State.first(), List.of());
    }

    int states() {
        return seen.size();
    }

    private Optional<String> look(State state, List<String> path) {
        if (!seen.add(state)) {
            return Optional.empty();
        }
        if (state.losesNote()) {
            return Optional.of(path.toString());
        }
        List<Step> next = new ArrayList<>();
        for (int i = 0; i < state.puts.size(); i++) {
            next.addAll(putSteps(state, i));
        }
        next.addAll(settlerSteps(state));
        for (Step step : next) {
            List<String> further = new ArrayList<>(path);
            further.add(step.name);
            Optional<String> lost = look(step.then, further);
            if (lost.isPresent()) {
                return lost;
            }
        }
        return Optional.empty();
    }

    private record Step(String name, State then) {}

    // Transactions that put: a number, with the task; an id, with the note; perhaps another one; the end

    /** One that puts in some transactions, one after the other. */
    private record Put(int left, int at, int number, List<Integer> notes) {

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

    // The settler: reads, settles, writes down, ends

    /** What one settler has read and will have changed with its commit. */
    private record Settler(
            int round, int at, int number, int next, int latest, int ended, NavigableSet<Integer> settled, Tube tube) {

        static Settler begin(int round) {
            return new Settler(round, 0, NONE, 0, 0, NONE, new TreeSet<>(), Tube.FIRST);
        }
    }

    private record Tube(int from, int upto, int end) {
        static final Tube FIRST = new Tube(1, NONE, NONE);
    }

    private List<Step> settlerSteps(State state) {
        Settler settler = state.settler;
        if (settler.round == SETTLERS) {
            return List.of();
        }
        boolean early = variant == Variant.EARLY_SETTLER || variant == Variant.EARLY_SETTLER_WRITES;
        return switch (settler.at) {
            case 0 -> early ? List.of(state.settlerTakesNumber()) : List.of(reads(state));
            case 1 -> List.of(reads(state));
            case 2 -> List.of(settles(state));
            case 3 -> List.of(writes(state));
            default -> List.of(state.settlerEnds(true), state.settlerEnds(false));
        };
    }

    /** One statement: the tube's row, the latest note, and which transactions are open. */
    private Step reads(State state) {
        Tube tube = state.tube;
        int xmax = state.completed + 1;
        int xmin = state.openNumbers().min().stream()
                .map(open -> Math.min(open, xmax))
                .findFirst()
                .orElse(xmax);
        boolean restored = variant == Variant.LATEST_THAT_ENDED ? tube.end > xmax : tube.end >= xmax;
        int ended = tube.end != NONE && (tube.end <= xmin || restored) ? tube.upto : NONE;
        int latest = state.notes.isEmpty() ? NONE : state.notes.last();
        Settler now = state.settler;
        return state.with(
                "settler reads",
                new Settler(now.round, 2, now.number, tube.from, latest, ended, new TreeSet<>(), tube));
    }

    /** A later statement, which sees what was committed meanwhile, too. */
    private Step settles(State state) {
        Settler now = state.settler;
        NavigableSet<Integer> settled = new TreeSet<>();
        state.notes.stream()
                .filter(note -> note >= now.next && note <= now.latest)
                .limit(BATCH)
                .forEach(settled::add);
        int next = settled.isEmpty() ? now.next : settled.last() + 1;
        return state.with(
                "settler settles " + settled,
                new Settler(now.round, 3, now.number, next, now.latest, now.ended, settled, now.tube));
    }

    private Step writes(State state) {
        Settler now = state.settler;
        int behind = variant == Variant.WITHOUT_WAITING
                ? now.next - 1
                : variant == Variant.BEHIND_WHAT_IS_LEFT ? now.ended : Math.min(now.ended, now.next - 1);
        int from = Math.max(now.tube.from, behind + 1);
        boolean hadNumber = now.number != NONE;
        State numbered = hadNumber ? state : state.settlerTakesNumber().then;
        Settler own = numbered.settler;
        boolean writes = now.latest > now.tube.upto && (!hadNumber || variant == Variant.EARLY_SETTLER_WRITES);
        int end = variant == Variant.LATEST_THAT_ENDED ? state.completed + 1 : own.number;
        Tube tube = writes ? new Tube(from, now.latest, end) : new Tube(from, now.tube.upto, now.tube.end);
        return numbered.with(
                "settler writes " + tube,
                new Settler(now.round, 4, own.number, now.next, now.latest, now.ended, now.settled, tube));
    }

    /**
     * What the database knows.
     *
     * @param completed the highest number of a transaction that has ended
     * @param notes those that are committed and not settled
     */
    private record State(
            int nextNumber,
            int nextNote,
            int completed,
            NavigableSet<Integer> notes,
            Tube tube,
            List<Put> puts,
            Settler settler) {

        static State first() {
            return new State(
                    1, 1, 0, new TreeSet<>(), Tube.FIRST, List.of(Put.begin(2), Put.begin(1)), Settler.begin(0));
        }

        /** Settlers look at notes from notes_from on, now and for ever. */
        boolean losesNote() {
            return !notes.isEmpty() && notes.first() < tube.from;
        }

        IntStream openNumbers() {
            IntStream putting = puts.stream().filter(Put::open).mapToInt(Put::number);
            return settler.number == NONE ? putting : IntStream.concat(putting, IntStream.of(settler.number));
        }

        Step takesNumber(String who, int index) {
            Put put = puts.get(index);
            return new Step(
                    who + " changes a task, is number " + nextNumber,
                    new State(nextNumber + 1, nextNote, completed, notes, tube, puts, settler)
                            .with(index, new Put(put.left, put.at + 1, nextNumber, put.notes)));
        }

        Step takesId(String who, int index) {
            Put put = puts.get(index);
            List<Integer> ids = new ArrayList<>(put.notes);
            ids.add(nextNote);
            return new Step(
                    who + " leaves note " + nextNote,
                    new State(nextNumber, nextNote + 1, completed, notes, tube, puts, settler)
                            .with(index, new Put(put.left, put.at + 1, put.number, ids)));
        }

        Step ends(String who, int index, boolean commit) {
            Put put = puts.get(index);
            NavigableSet<Integer> after = new TreeSet<>(notes);
            if (commit) {
                after.addAll(put.notes);
            }
            return new Step(
                    who + (commit ? " commits" : " rolls back"),
                    new State(nextNumber, nextNote, Math.max(completed, put.number), after, tube, puts, settler)
                            .with(index, Put.begin(put.left - 1)));
        }

        Step settlerTakesNumber() {
            Settler now = settler;
            return new Step(
                    "settler is number " + nextNumber,
                    new State(nextNumber + 1, nextNote, completed, notes, tube, puts, settler)
                            .with(
                                    "",
                                    new Settler(
                                            now.round,
                                            now.at + 1,
                                            nextNumber,
                                            now.next,
                                            now.latest,
                                            now.ended,
                                            now.settled,
                                            now.tube))
                            .then);
        }

        Step settlerEnds(boolean commit) {
            NavigableSet<Integer> after = new TreeSet<>(notes);
            if (commit) {
                after.removeAll(settler.settled);
            }
            return new Step(
                    commit ? "settler commits" : "settler rolls back",
                    new State(
                            nextNumber,
                            nextNote,
                            Math.max(completed, settler.number),
                            after,
                            commit ? settler.tube : tube,
                            puts,
                            Settler.begin(settler.round + 1)));
        }

        Step with(String name, Settler changed) {
            return new Step(name, new State(nextNumber, nextNote, completed, notes, tube, puts, changed));
        }

        private State with(int index, Put changed) {
            List<Put> after = new ArrayList<>(puts);
            after.set(index, changed);
            return new State(nextNumber, nextNote, completed, notes, tube, List.copyOf(after), settler);
        }
    }
}
