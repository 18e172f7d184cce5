package org.tasktube.node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.tasktube.admin.ClusterWork;
import org.tasktube.admin.TubeWork.Beans;
import org.tasktube.admin.TubeWork.Moved;
import org.tasktube.node.WorkLine.Changes;
import org.tasktube.node.WorkLine.OfTube;
import org.tasktube.tube.TubeEngine;

/**
 * Writes the line of this server's work. A line has the tubes that had work lately or have beans. The numbers of a tube
 * count from the heartbeat at which it came into the line. Belongs to the maintenance thread.
 */
final class OwnWork {

    /** The heartbeats without work after which a tube leaves the line. A reader that misses some loses nothing. */
    private static final int QUIET = 5;

    private final Map<Integer, Changes> last = new HashMap<>();
    private final Map<Integer, Active> active = new HashMap<>();
    private long beat;

    /** A tube that would be in the line, and its moves since the heartbeat before. */
    private record Candidate(OfTube of, long moves) {}

    private static final Comparator<Candidate> BEANS_AND_MOST_MOVES_FIRST = Comparator.comparing(
                    (Candidate tube) -> tube.of.beans().active() == 0)
            .thenComparing(tube -> -tube.moves);

    /** A tube in the line: since when, the numbers before, and the heartbeats without work. */
    private record Active(long epoch, Changes base, int quiet) {

        Optional<Active> after(boolean isQuiet) {
            int next = isQuiet ? quiet + 1 : 0;
            return next > QUIET ? Optional.empty() : Optional.of(new Active(epoch, base, next));
        }
    }

    /**
     * Returns the line for the next heartbeat.
     *
     * @param beans the beans of this server by the names of their tubes
     */
    String line(Iterable<TubeEngine> known, Map<String, Beans> beans) {
        beat++;
        List<Candidate> tubes = new ArrayList<>();
        Set<Integer> ids = new HashSet<>();
        for (TubeEngine tube : known) {
            int id = tube.stored().id();
            ids.add(id);
            Changes now = Changes.of(tube);
            Changes before = Optional.ofNullable(last.put(id, now)).orElse(Changes.NONE);
            Beans here = beans.getOrDefault(tube.name(), Beans.NONE);
            Optional<Active> since = follow(id, before, now.equals(before));
            if (since.isPresent()) {
                Moved lately = now.since(before).moved();
                OfTube of = new OfTube(id, since.get().epoch, now.since(since.get().base), here);
                tubes.add(new Candidate(of, lately.puts() + lately.ended() + lately.failed()));
            } else if (here.active() > 0) {
                tubes.add(new Candidate(new OfTube(id, 0, Changes.NONE, here), 0));
            }
        }
        last.keySet().retainAll(ids); // An application can create and drop tubes all day
        active.keySet().retainAll(ids);
        return new WorkLine(
                        beat,
                        tubes.stream()
                                .sorted(BEANS_AND_MOST_MOVES_FIRST)
                                .limit(ClusterWork.MAX_TUBES)
                                .map(Candidate::of)
                                .toList())
                .toString();
    }

    /** Has all tubes leave the line: under a new number of this server, others would take what it has told for new. */
    void begin() {
        active.clear();
    }

    /** Returns since when a tube is in the line; empty if it had no work lately. */
    private Optional<Active> follow(int id, Changes before, boolean isQuiet) {
        Optional<Active> since = Optional.ofNullable(active.remove(id))
                .or(() -> isQuiet ? Optional.empty() : Optional.of(new Active(beat, before, 0)))
                .flatMap(known -> known.after(isQuiet));
        since.ifPresent(known -> active.put(id, known));
        return since;
    }
}
