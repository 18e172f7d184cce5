package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.Body;
import org.tasktube.console.json.TakenView;
import org.tasktube.console.security.Caller;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** Takes tasks for a user, whose session holds them from one request to the next. */
@Path("tubes/{tube}/take")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class TakeResource {

    /** The most bytes of data in an answer, unless its first task alone has more. */
    static final int MAX_BYTES = 8 << 20;

    @Inject
    private Tubes tubes;

    @Inject
    private Caller caller;

    @Inject
    private Audit audit;

    @Inject
    private RestSessions sessions;

    @Inject
    private TakeWaits waits;

    @POST
    @Needs(Right.OPERATE)
    public Response take(
            @PathParam("tube") String tube, @HeaderParam(RestSessions.HEADER) String header, InputStream in) {
        TakeRequest request = TakeRequest.of(Body.read(in));
        Optional<UUID> session = Optional.ofNullable(header).map(value -> sessions.use(value, caller.name()));
        if (session.isEmpty()) {
            sessions.checkRoom(caller.name());
        }
        TakenView taken = waits.during(
                request.timeout(), () -> tubes.with(connection -> take(connection, tube, session, request)));
        Optional.ofNullable(taken.session()).ifPresent(sessions::renew);
        Response.ResponseBuilder response = Response.ok(taken);
        Optional.ofNullable(taken.session()).ifPresent(id -> response.header(RestSessions.HEADER, id));
        return response.build();
    }

    /**
     * Takes outside a transaction, because a wait in one would keep its connection. A new session is registered when it
     * holds tasks. If anything fails before that, the close of the connection releases them.
     */
    private TakenView take(TubeConnection connection, String name, Optional<UUID> session, TakeRequest request) {
        session.ifPresent(connection::identify);
        Tube tube = connection.tube(name);
        List<Task> tasks = kept(tube, tube.take(request.count(), request.timeout()));
        if (tasks.isEmpty()) {
            audit.changedNothing();
            return TakenView.of(tasks, session.orElse(null));
        }
        audit.number(tasks.size());
        Tubes.admin(connection).record(audit.act(Response.Status.OK.getStatusCode()));
        audit.recorded();
        UUID holder = session.orElseGet(() -> {
            // Other takes may have ended first. A refusal after the session is kept would leave its tasks TAKEN
            sessions.checkRoom(caller.name());
            UUID id = connection.identify(request.keep());
            sessions.add(id, caller.name(), request.keep());
            return id;
        });
        return TakenView.of(tasks, holder);
    }

    /** Releases the tasks that are too large for one answer. */
    private static List<Task> kept(Tube tube, List<Task> tasks) {
        List<Task> kept = new ArrayList<>();
        long bytes = 0;
        for (Task task : tasks) {
            bytes += task.data().size();
            if (kept.isEmpty() || bytes <= MAX_BYTES) {
                kept.add(task);
            } else {
                tube.release(task);
            }
        }
        return kept;
    }

    /**
     * The body of a take.
     *
     * @param timeout the longest wait for the first task
     * @param count the most tasks
     * @param keep the time without a call after which a new session ends
     */
    record TakeRequest(Duration timeout, int count, Duration keep) {

        private static final Duration MAX_TIMEOUT = Duration.ofSeconds(20);
        private static final Duration KEEP = Duration.ofMinutes(1);
        private static final Duration MAX_KEEP = Duration.ofHours(1);
        private static final int MAX_COUNT = 100;

        static TakeRequest of(Body body) {
            Duration timeout = body.duration("timeout").orElse(Duration.ZERO);
            int count = body.number("count").orElse(1);
            Duration keep = body.duration("keep").orElse(KEEP);
            body.end();
            Sent.check("timeout", timeout, Duration.ZERO, MAX_TIMEOUT);
            Sent.check("keep", keep, Duration.ofSeconds(1), MAX_KEEP);
            Sent.check("count", count, MAX_COUNT);
            return new TakeRequest(timeout, count, keep);
        }
    }
}
