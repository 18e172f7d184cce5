package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.tasktube.Task;
import org.tasktube.TubeConnection;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.audit.AuditLog;
import org.tasktube.console.json.Body;
import org.tasktube.console.json.TakenView;
import org.tasktube.console.problem.ProblemWriter;
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

    private static final Logger LOG = Logger.getLogger("org.tasktube.console");

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

    @Inject
    private Delivery delivery;

    @Context
    private HttpServletRequest asked;

    @Context
    private HttpServletResponse response;

    /** Writes the answer itself, while it still can return the tasks. So RESTEasy has nothing left to write. */
    @POST
    @Needs(Right.OPERATE)
    public Response take(
            @PathParam("tube") String tube, @HeaderParam(RestSessions.HEADER) String header, InputStream in) {
        TakeRequest request = TakeRequest.of(Body.read(in));
        if (header == null) {
            inNewSession(tube, request);
        } else {
            sessions.during(header, caller.name(), id -> take(tube, Optional.of(id), request));
        }
        return Response.ok().build();
    }

    private void inNewSession(String tube, TakeRequest request) {
        UUID room = sessions.reserve(caller.name());
        try {
            take(tube, Optional.empty(), request);
        } finally {
            sessions.giveUp(room, caller.name());
        }
    }

    /** Returns the number of tasks. */
    private int take(String tube, Optional<UUID> session, TakeRequest request) {
        Supplier<Integer> work = () -> tubes.with(connection -> {
            session.ifPresent(id -> sessions.join(connection, id, caller.name()));
            return take(new Undo(connection, connection.tube(tube), session), request);
        });
        return request.waits() ? waits.waiting(work) : waits.inTurn(work);
    }

    /** Takes outside a transaction, because a wait in one would keep its connection. */
    private int take(Undo undo, TakeRequest request) {
        TakeSteps steps =
                new TakeSteps(undo.tube(), Tubes.admin(undo.connection()).maxDataSize(), MAX_BYTES);
        try {
            if (!request.waits()) {
                return answer(undo, steps, request);
            }
            return steps.first(request.timeout())
                    ? waits.inTurn(() -> answer(undo, steps, request))
                    : answerNothing(undo.session());
        } catch (RuntimeException | Error e) {
            undo.giveBack(steps.taken(), e);
            throw e;
        }
    }

    private int answer(Undo undo, TakeSteps steps, TakeRequest request) {
        List<Task> tasks = steps.take(request.count());
        if (tasks.isEmpty()) {
            return answerNothing(undo.session());
        }
        UUID holder = undo.session().orElseGet(() -> undo.connection().identify(request.keep(), caller.name()));
        record(undo.connection(), tasks.size());
        try {
            write(tasks, Optional.of(holder));
            if (undo.session().isEmpty()) {
                sessions.keep(holder, caller.name(), request.keep());
            }
        } catch (IOException | RuntimeException | Error e) {
            undo.giveBack(steps.taken(), e);
            noteUndelivered(e);
        }
        return tasks.size();
    }

    private int answerNothing(Optional<UUID> session) {
        audit.changedNothing();
        try {
            write(List.of(), session);
        } catch (IOException e) {
            LOG.debug("The client of a take has gone before its answer, which has no tasks", e);
        }
        return 0;
    }

    private void record(TubeConnection connection, int tasks) {
        audit.number(tasks);
        Tubes.admin(connection).record(audit.act(Response.Status.OK.getStatusCode()));
        audit.recorded();
    }

    /** Sends the head first: from then on there is one answer to any failure, which is an end before the last byte. */
    private void write(List<Task> tasks, Optional<UUID> session) throws IOException {
        response.setStatus(Response.Status.OK.getStatusCode());
        response.setContentType(MediaType.APPLICATION_JSON);
        session.ifPresent(id -> response.setHeader(RestSessions.HEADER, id.toString()));
        response.flushBuffer();
        delivery.write(response.getOutputStream(), out -> TakenView.write(out, tasks, session));
    }

    /** The take has its line and its row. AuditFilter writes those of its return. */
    private void noteUndelivered(Throwable why) {
        if (!(why instanceof IOException)) {
            ProblemWriter.logCut(asked.getMethod(), asked.getRequestURI(), why);
        }
        LOG.debug("The answer of a take was not delivered", why);
        AuditLog.act(audit.act(Response.Status.OK.getStatusCode()));
        audit.undelivered();
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

        boolean waits() {
            return !timeout.isZero();
        }

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
