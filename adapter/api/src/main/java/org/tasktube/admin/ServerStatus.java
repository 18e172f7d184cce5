package org.tasktube.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A server on the database.
 *
 * @param name its node name
 * @param number its number in the database; a restart gives it another one
 * @param isThis true for the server that answers
 * @param state its state by its heartbeats
 * @param heartbeat the time of its last heartbeat, by the database's clock; empty if the server has no row, and
 *     continues under a new number soon
 * @param silence the time since that heartbeat, by the same clock, never negative; zero if there is none
 * @param taken the number of tasks that its sessions hold
 * @param sessions the number of its sessions that hold a task or are registered by {@code identify}
 * @param working its active beans, by the names of their tubes, as it has shown them with its heartbeat
 * @param beans its active beans that get tasks, by name, with what they do now; empty for other servers
 * @param released the number of tasks that it held when it died or stopped, and that were released since
 * @param releasedAt the time when nothing was left to release, by the database's clock; empty before. The server is
 *     listed for a day from then on
 */
public record ServerStatus(
        String name,
        int number,
        boolean isThis,
        State state,
        Optional<Instant> heartbeat,
        Duration silence,
        long taken,
        long sessions,
        Map<String, TubeWork.Beans> working,
        Optional<List<BeanStatus>> beans,
        long released,
        Optional<Instant> releasedAt) {

    /** The state of a server by its heartbeats. */
    public enum State {
        /** Writes its heartbeats. */
        RUNNING,
        /** Has missed two heartbeats, which is two fifths of this server's {@code nodeTimeout}. It may be alive. */
        SILENT,
        /** Another server has taken it for dead, and its tasks are released. If it lives, it takes a new number. */
        DEAD,
        /** It has stopped, and its tasks are released. */
        LEFT
    }

    public ServerStatus {
        working = Collections.unmodifiableMap(new TreeMap<>(working));
        beans = beans.map(List::copyOf);
    }
}
