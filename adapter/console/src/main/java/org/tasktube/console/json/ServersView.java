package org.tasktube.console.json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.TubeWork;

/**
 * The servers on the database. A member without a value is absent.
 *
 * @param servers the servers, by their numbers
 * @param now the time of the server that answers
 */
public record ServersView(List<Server> servers, Instant now) {

    /** Returns the view of what the administration has read. */
    public static ServersView of(List<ServerStatus> servers) {
        return new ServersView(servers.stream().map(Server::of).toList(), Instant.now());
    }

    /**
     * A server.
     *
     * @param name the node name
     * @param number its number in the database
     * @param isThis true for the server that answers
     * @param state RUNNING, SILENT, DEAD or LEFT
     * @param heartbeat the time of the last heartbeat; null if it has no row
     * @param silence the time since that heartbeat
     * @param taken the number of tasks that its sessions hold
     * @param sessions the number of its sessions
     * @param working its active beans by tube, as it has shown them with its heartbeat
     * @param beans its active beans, with what they do now; null for another server
     * @param released the number of its tasks that were released since it died or stopped
     * @param releasedAt the time when nothing was left to release; null before
     */
    public record Server(
            String name,
            int number,
            boolean isThis,
            String state,
            Instant heartbeat,
            Duration silence,
            long taken,
            long sessions,
            List<Working> working,
            List<Bean> beans,
            long released,
            Instant releasedAt) {

        static Server of(ServerStatus server) {
            return new Server(
                    server.name(),
                    server.number(),
                    server.isThis(),
                    server.state().name(),
                    server.heartbeat().orElse(null),
                    server.silence(),
                    server.taken(),
                    server.sessions(),
                    server.working().entrySet().stream().map(Working::of).toList(),
                    server.beans()
                            .map(beans -> beans.stream().map(Bean::of).toList())
                            .orElse(null),
                    server.released(),
                    server.releasedAt().orElse(null));
        }
    }

    /** The active beans of a tube, the deliveries that they can have at once, and those that run. */
    public record Working(String tube, int beans, int instances, int busy) {

        static Working of(Map.Entry<String, TubeWork.Beans> tube) {
            TubeWork.Beans beans = tube.getValue();
            return new Working(tube.getKey(), beans.active(), beans.instances(), beans.busy());
        }
    }

    /** An active bean, with the tasks that it works on. */
    public record Bean(
            String name,
            String tube,
            int limit,
            int maxSession,
            int busy,
            int claimed,
            Hindrance hindrance,
            List<Delivery> deliveries) {

        static Bean of(BeanStatus bean) {
            return new Bean(
                    bean.name(),
                    bean.tube(),
                    bean.limit(),
                    bean.maxSession(),
                    bean.busy(),
                    bean.claimed(),
                    bean.hindrance()
                            .map(found -> new Hindrance(found.reason().name(), found.text()))
                            .orElse(null),
                    bean.deliveries().stream().map(Delivery::of).toList());
        }
    }

    /** Why a bean gets no tasks, or fewer than configured. */
    public record Hindrance(String reason, String text) {}

    /** A task that a bean works on. */
    public record Delivery(String tube, String task, int attempts, Duration duration) {

        static Delivery of(BeanStatus.Delivery delivery) {
            return new Delivery(
                    delivery.tube(), Long.toString(delivery.task()), delivery.attempts(), delivery.duration());
        }
    }
}
