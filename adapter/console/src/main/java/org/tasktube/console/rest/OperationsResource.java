package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.tasktube.OperationNotFoundException;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationPreview;
import org.tasktube.admin.OperationSize;
import org.tasktube.admin.TaskFilter;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.Body;
import org.tasktube.console.json.OperationView;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Caller;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** Acts on many tasks. */
@Path("operations")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class OperationsResource {

    private static final int MAX_PAGE = 200;
    private static final int PAGE = 50;

    @Inject
    private Tubes tubes;

    @Inject
    private Caller caller;

    @Inject
    private Audit audit;

    @Context
    private UriInfo uri;

    @GET
    @Needs(Right.VIEW)
    public OperationView.Page list(@QueryParam("before") String before, @QueryParam("limit") String limit) {
        int most = Numbers.limit(limit, PAGE, MAX_PAGE);
        Optional<Long> from =
                Optional.ofNullable(before).filter(text -> !text.isEmpty()).map(Numbers::id);
        List<Operation> page = tubes.with(connection -> Tubes.admin(connection).operations(from, most));
        String next =
                page.size() < most ? null : Long.toString(page.get(most - 1).id());
        return new OperationView.Page(page.stream().map(this::view).toList(), next, Instant.now());
    }

    @GET
    @Path("{id}")
    @Needs(Right.VIEW)
    public OperationView get(@PathParam("id") String id) {
        long number = Numbers.id(id);
        return view(tubes.with(connection -> Tubes.admin(connection).operation(number)));
    }

    /** Returns the tasks that an operation has changed, as far as it has come. */
    @GET
    @Path("{id}/tasks")
    @Needs(Right.VIEW)
    public OperationView.Changed changedTasks(
            @PathParam("id") String id, @QueryParam("from") String from, @QueryParam("limit") String limit) {
        long number = Numbers.id(id);
        int most = Numbers.limit(limit, PAGE, MAX_PAGE);
        long after = Numbers.from(from).orElse(0);
        return OperationView.Changed.of(
                tubes.with(connection -> Tubes.admin(connection).changedTasks(number, after, most)), most);
    }

    @POST
    @Path("preview")
    @Needs(value = Right.OPERATE, byFilter = true)
    public OperationView.Preview previewOperation(InputStream in) {
        audit.changedNothing();
        Body body = Body.read(in);
        OperationAct act = act(body);
        TaskFilter filter = filter(body);
        body.end();
        caller.check(Right.OPERATE, filter);
        OperationPreview preview =
                tubes.with(connection -> Tubes.admin(connection).previewOperation(act, filter));
        return OperationView.Preview.of(preview, Instant.now());
    }

    /**
     * Starts an operation. The user has seen the number of a preview, and confirms it: the operation changes no more
     * tasks, unless it is a least number. The operation and the audit have this number.
     */
    @POST
    @Needs(value = Right.OPERATE, byFilter = true)
    public Response startOperation(InputStream in) {
        Body body = Body.read(in);
        OperationAct act = act(body);
        // The row says which of the acts it was
        audit.act("start" + act.name().charAt(0) + act.name().substring(1).toLowerCase(Locale.ROOT));
        TaskFilter filter = filter(body);
        audit.filter(filter.toString());
        String reason = Sent.requiredReason(body);
        audit.reason(reason);
        OperationSize confirmed = confirmed(body);
        body.end();
        caller.check(act == OperationAct.DELETE ? Right.ADMIN : Right.OPERATE, filter);
        Operation started = tubes.change(Response.Status.ACCEPTED, connection -> {
            Operation added = Tubes.admin(connection).startOperation(act, filter, caller.name(), reason, confirmed);
            audit.task(Long.toString(added.id()));
            audit.number(added.expected().tasks());
            return added;
        });
        return Response.status(Response.Status.ACCEPTED)
                .location(uri.getAbsolutePathBuilder()
                        .path(Long.toString(started.id()))
                        .build())
                .entity(view(started))
                .build();
    }

    private static OperationSize confirmed(Body body) {
        int count = body.number("count")
                .orElseThrow(() -> new ProblemException(
                        Kind.BODY,
                        "the member 'count' is missing; send the member 'fits' of the preview: the operation changes no"
                                + " more tasks"));
        long upTo = body.text("upTo").map(Numbers::id).orElse(Long.MAX_VALUE);
        return new OperationSize(count, body.flag("isLeast"), upTo);
    }

    @POST
    @Path("{id}/cancel")
    @Needs(value = Right.OPERATE, byFilter = true)
    public OperationView cancelOperation(@PathParam("id") String id, InputStream in) {
        long number = Numbers.id(id);
        Body body = Body.read(in);
        String reason = Sent.requiredReason(body);
        audit.reason(reason);
        body.end();
        caller.check(Right.OPERATE, filterOf(number));
        return view(tubes.change(Response.Status.OK, connection -> Tubes.admin(connection)
                .cancelOperation(number, caller.name(), reason)));
    }

    /** Returns the filter of an operation. If there is none, a user needs the right for all tubes to be told so. */
    private TaskFilter filterOf(long operation) {
        try {
            return tubes.with(
                    connection -> Tubes.admin(connection).operation(operation).filter());
        } catch (OperationNotFoundException e) {
            caller.check(Right.OPERATE, TaskFilter.ALL);
            throw e;
        }
    }

    private OperationView view(Operation operation) {
        return OperationView.of(operation, caller.may(Right.OPERATE, operation.filter()));
    }

    private static OperationAct act(Body body) {
        return body.choice("act", OperationAct.class)
                .orElseThrow(() -> new ProblemException(
                        Kind.BODY, "the member 'act' is missing; it takes RETRY, DELETE, BURY or RELEASE"));
    }

    /** A filter must be sent, even an empty one for all tasks: a forgotten one would allow all. */
    private static TaskFilter filter(Body body) {
        return TaskFilter.parse(body.text("filter")
                .orElseThrow(() -> new ProblemException(
                        Kind.BODY, "the member 'filter' is missing; send an empty text for all tasks")));
    }
}
