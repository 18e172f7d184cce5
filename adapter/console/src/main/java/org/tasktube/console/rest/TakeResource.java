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
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.TaskTubeException;
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
        TakenView taken = header == null
                ? inNewSession(tube, request)
                : sessions.during(header, caller.name(), id -> take(tube, Optional.of(id), request));
        Response.ResponseBuilder response = Response.ok(taken);
        Optional.ofNullable(taken.session()).ifPresent(id -> response.header(RestSessions.HEADER, id));
        return response.build();
    }

    private TakenView inNewSession(String tube, TakeRequest request) {
        UUID room = sessions.reserve(caller.name());
        try {
            return take(tube, Optional.empty(), request);
        } finally {
            sessions.giveUp(room, caller.name());
        }
    }

    private TakenView take(String tube, Optional<UUID> session, TakeRequest request) {
        return waits.during(
                request.timeout(), () -> tubes.with(connection -> take(connection, tube, session, request)));
    }

    /** Takes outside a transaction, because a wait in one would keep its connection. */
    private TakenView take(TubeConnection connection, String name, Optional<UUID> session, TakeRequest request) {
        session.ifPresent(id -> sessions.join(connection, id, caller.name()));
        Tube tube = connection.tube(name);
        TakeSteps steps = new TakeSteps(tube, Tubes.admin(connection).maxDataSize(), MAX_BYTES);
        try {
            List<Task> tasks = steps.take(request.count(), request.timeout());
            return tasks.isEmpty() ? nothing(session) : kept(connection, tasks, session, request.keep());
        } catch (RuntimeException | Error e) {
            giveBack(connection, tube, steps.taken(), session, e);
            throw e;
        }
    }

    private TakenView nothing(Optional<UUID> session) {
        audit.changedNothing();
        return TakenView.of(List.of(), session.orElse(null));
    }

    private TakenView kept(TubeConnection connection, List<Task> tasks, Optional<UUID> session, Duration keep) {
        UUID holder = session.orElseGet(() -> connection.identify(keep, caller.name()));
        TakenView taken = TakenView.of(tasks, holder);
        record(connection, tasks.size());
        if (session.isEmpty()) {
            sessions.keep(holder, caller.name(), keep);
        }
        return taken;
    }

    private void record(TubeConnection connection, int tasks) {
        audit.number(tasks);
        Tubes.admin(connection).record(audit.act(Response.Status.OK.getStatusCode()));
        audit.recorded();
    }

    /**
     * Returns tasks to their tube that the user will not get. A session without its first answer ends with its
     * connection. A session that goes on would hold them for ever; if it cannot release them, it ends, too.
     */
    private void giveBack(
            TubeConnection connection, Tube tube, List<Task> tasks, Optional<UUID> session, Throwable why) {
        if (tasks.isEmpty()) {
            return;
        }
        if (session.isEmpty()) {
            end(connection, why);
            return;
        }
        try {
            for (Task task : tasks) {
                release(tube, task);
            }
        } catch (TaskTubeException e) {
            why.addSuppressed(e);
            end(connection, why);
        }
    }

    /** Ends the session's time with this call. If the database does not take that, the session ends by its time. */
    private static void end(TubeConnection connection, Throwable why) {
        try {
            connection.identify(Duration.ZERO);
        } catch (TaskTubeException e) {
            why.addSuppressed(e);
        }
    }

    private static void release(Tube tube, Task task) {
        try {
            tube.release(task);
        } catch (TaskNotFoundException | TaskNotTakenException | TaskTakenByAnotherException e) {
            // It is back already: too large for the answer, or its ttr is over
        }
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
