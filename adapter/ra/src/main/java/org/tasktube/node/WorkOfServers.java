package org.tasktube.node;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.tasktube.admin.ClusterWork;
import org.tasktube.admin.DeadServer;
import org.tasktube.admin.TubeWork;
import org.tasktube.admin.TubeWork.Beans;
import org.tasktube.admin.TubeWork.Moved;
import org.tasktube.node.WorkLine.Changes;
import org.tasktube.node.WorkLine.OfTube;
import org.tasktube.store.Peer;
import org.tasktube.store.Pulse;
import org.tasktube.tube.TubeEngine;

/**
 * The work of all servers. Each one writes a line of numbers with its heartbeat, whose answer has the lines of all, so
 * that this costs no statement. A line has the tubes that had work lately or have beans. Threads share it.
 */
public final class WorkOfServers {

    private final TubeDirectory directory;
    private final Duration interval;
    private final InstantSource clock;
    private final OwnWork own = new OwnWork();
    private volatile Supplier<Map<String, Beans>> beans = Map::of;
    private volatile String line = "";

    private final Map<Integer, Map<Integer, OfTube>> lines = new HashMap<>();

    /** The last numbers of each tube that a server has shown, also if its present line does not have the tube. */
    private final Map<Integer, Map<Integer, OfTube>> seen = new HashMap<>();

    /** The numbers of the last lines of the servers. */
    private final Map<Integer, Long> numbers = new HashMap<>();

    private final Map<Integer, Moved> totals = new HashMap<>();
    private final Deque<Read> recent = new ArrayDeque<>();
    private Instant readAt;
    private List<DeadServer> dead = List.of();

    /**
     * What the lines of all servers have shown.
     *
     * @param numbers the number of the last line of each other server
     * @param hasWork whether a server, this one too, had work in a tube, or has come
     */
    record Reading(Map<Integer, Long> numbers, boolean hasWork) {}

    private record Read(Instant at, Duration span, Map<Integer, Moved> moved) {}

    /** @param interval the time between two heartbeats */
    WorkOfServers(TubeDirectory directory, Duration interval, InstantSource clock) {
        this.directory = directory;
        this.interval = interval;
        this.clock = clock;
        this.readAt = clock.instant();
    }

    /** Sets what returns the beans of this server by the names of their tubes. */
    public void beans(Supplier<Map<String, Beans>> ofThisServer) {
        beans = ofThisServer;
    }

    /** Returns the line of this server for its next heartbeat. */
    String line() {
        return line;
    }

    /** Makes the line for the next heartbeat, which waits for nothing itself. Belongs to the maintenance thread. */
    void prepare() {
        line = own.line(directory.known(), beans.get());
    }

    /** Makes a line that tells nothing again, before this server gets a new number. Belongs to the maintenance thread. */
    void begin() {
        own.begin();
        prepare();
    }

    /** Returns the servers that have died lately, as of the last reading. */
    synchronized List<DeadServer> dead() {
        return dead;
    }

    /** Forgets the lines, before all tasks are counted. The growth begins with the next ones. */
    synchronized void forget() {
        seen.clear();
        numbers.clear();
    }

    /**
     * Reads the lines of all servers. What the others' transitions have changed changes the statistics here, too. A line
     * that was read before, or that is older, tells nothing.
     *
     * @param thisServer the number of this server
     */
    synchronized Reading read(Pulse pulse, int thisServer) {
        List<Peer> servers = pulse.servers();
        Set<String> up = servers.stream()
                .filter(server -> !server.dead())
                .map(Peer::name)
                .collect(Collectors.toSet());
        dead = pulse.dead().stream()
                .filter(server -> !up.contains(server.name()))
                .toList();
        Map<Integer, TubeEngine> known = directory.known().stream()
                .collect(Collectors.toMap(tube -> tube.stored().id(), Function.identity()));
        Map<Integer, Moved> moved = new HashMap<>();
        Map<Integer, Map<Integer, OfTube>> now = new HashMap<>();
        boolean hasWork = false;
        for (Peer server : servers) {
            if (!server.dead()) {
                WorkLine text = WorkLine.parse(server.work());
                Map<Integer, OfTube> line = text.byTube();
                long last = numbers.getOrDefault(server.node(), -1L);
                numbers.put(server.node(), Math.max(last, text.number()));
                Map<Integer, OfTube> before = seen.get(server.node());
                now.put(server.node(), line);
                if (before == null) {
                    seen.put(server.node(), new HashMap<>(line));
                    hasWork = true;
                } else if (text.number() > last) {
                    for (OfTube of : line.values().stream()
                            .filter(tube -> known.containsKey(tube.tube()))
                            .toList()) {
                        Changes more = since(of, before.put(of.tube(), of));
                        hasWork |= !more.equals(Changes.NONE);
                        moved.merge(of.tube(), more.moved(), Moved::plus);
                        if (server.node() != thisServer) {
                            more.tasks().forEach(known.get(of.tube()).runtime().counters()::tell);
                        }
                    }
                }
            }
        }
        lines.clear();
        lines.putAll(now);
        seen.keySet().retainAll(now.keySet());
        numbers.keySet().retainAll(now.keySet());
        moved.values().removeIf(Moved.NONE::equals);
        moved.forEach((tube, more) -> totals.merge(tube, more, Moved::plus));
        forgetDropped(known.keySet(), now.values());
        Instant at = clock.instant();
        recent.add(new Read(at, Duration.between(readAt, at), moved));
        readAt = at;
        // Their number is bounded too, because a clock can be set back
        while (recent.getFirst().at.isBefore(at.minus(ClusterWork.KEPT))
                || recent.size() > ClusterWork.KEPT.dividedBy(interval) + 1) {
            recent.removeFirst();
        }
        Map<Integer, Long> others = new HashMap<>(numbers);
        others.remove(thisServer);
        return new Reading(others, hasWork);
    }

    /** A tube in a line that this server does not know yet may be a new one. */
    private void forgetDropped(Set<Integer> known, Collection<Map<Integer, OfTube>> now) {
        Set<Integer> ids = new HashSet<>(known);
        now.forEach(line -> ids.addAll(line.keySet()));
        totals.keySet().retainAll(ids);
        seen.values().forEach(line -> line.keySet().retainAll(ids));
    }

    /** A tube that had left the line begins another epoch, and counts from 0 then. */
    private static Changes since(OfTube of, OfTube before) {
        return before != null && before.epoch() == of.epoch() ? of.changes().since(before.changes()) : of.changes();
    }

    /** Returns the work of all servers. */
    public ClusterWork work() {
        Map<Integer, String> names = directory.known().stream()
                .collect(Collectors.toMap(tube -> tube.stored().id(), TubeEngine::name));
        synchronized (this) {
            Map<String, TubeWork> tubes = new TreeMap<>();
            Map<Integer, Beans> working = new HashMap<>();
            lines.values().forEach(line -> line.forEach((tube, of) -> working.merge(tube, of.beans(), Beans::plus)));
            names.forEach((id, name) -> {
                Moved moved = totals.getOrDefault(id, Moved.NONE);
                Beans here = working.getOrDefault(id, Beans.NONE);
                if (!moved.equals(Moved.NONE) || here.active() > 0) {
                    tubes.put(name, new TubeWork(name, moved, here));
                }
            });
            List<ClusterWork.Sample> samples = recent.stream()
                    .map(read -> new ClusterWork.Sample(read.at, read.span, named(read.moved, names)))
                    .toList();
            return new ClusterWork(List.copyOf(tubes.values()), samples, readAt, interval, dead);
        }
    }

    private static Map<String, Moved> named(Map<Integer, Moved> moved, Map<Integer, String> names) {
        Map<String, Moved> named = new HashMap<>();
        moved.forEach((tube, more) -> {
            if (names.containsKey(tube)) {
                named.put(names.get(tube), more);
            }
        });
        return named;
    }

    /** Returns the beans of another server by the names of their tubes. */
    public synchronized Map<String, Beans> beansOf(int node) {
        Map<Integer, OfTube> line = lines.getOrDefault(node, Map.of());
        Map<String, Beans> named = new TreeMap<>();
        directory.known().stream()
                .filter(tube -> line.containsKey(tube.stored().id()))
                .forEach(tube ->
                        named.put(tube.name(), line.get(tube.stored().id()).beans()));
        named.values().removeIf(of -> of.active() == 0);
        return named;
    }
}
