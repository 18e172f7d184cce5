package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.core.UriInfo;
import java.io.InputStream;
import java.util.List;
import java.util.function.Consumer;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.admin.TubeChange;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.Body;
import org.tasktube.console.json.TubeRow;
import org.tasktube.console.json.Views;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Caller;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** Tubes, their modes, and puts. */
@Path("tubes")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class TubesResource {

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
    public List<TubeRow> list() {
        return tubes.rows();
    }

    @GET
    @Path("{tube}")
    @Needs(Right.VIEW)
    public TubeRow get(@PathParam("tube") String tube) {
        return tubes.row(tube);
    }

    @POST
    @Needs(Right.ADMIN)
    public Response create(InputStream in) {
        Body body = Body.read(in);
        audit.tube(body.text("name").orElse(""));
        String name = tubes.change(
                Status.CREATED,
                connection -> connection.createTube(Sent.definition(body)).name());
        TubeRow created = tubes.changed(name);
        return Response.created(
                        uri.getAbsolutePathBuilder().path(created.name()).build())
                .entity(created)
                .build();
    }

    /** Changes defaults and the history of a tube. Members that are absent stay as they are. */
    @PATCH
    @Path("{tube}")
    @Needs(Right.ADMIN)
    public TubeRow change(@PathParam("tube") String tube, InputStream in) {
        Body body = Body.read(in);
        audit.reason(Sent.requiredReason(body));
        TubeChange change = Sent.change(body);
        tubes.change(Status.OK, connection -> Tubes.admin(connection).changeTube(tube, change));
        return tubes.changed(tube);
    }

    @DELETE
    @Path("{tube}")
    @Needs(Right.ADMIN)
    public void drop(@PathParam("tube") String tube, @QueryParam("force") String force) {
        boolean forcibly = Numbers.flag("force", force);
        tubes.change(Status.NO_CONTENT, connection -> {
            Tube found = connection.tube(tube);
            if (forcibly) {
                found.dropForcibly();
            } else {
                found.drop();
            }
            return found;
        });
    }

    @POST
    @Path("{tube}/pause")
    @Needs(Right.OPERATE)
    public TubeRow pause(@PathParam("tube") String tube, InputStream in) {
        String reason = reason(in);
        return changed(tube, found -> found.pause(reason, caller.name()));
    }

    @POST
    @Path("{tube}/drain")
    @Needs(Right.OPERATE)
    public TubeRow drain(@PathParam("tube") String tube, InputStream in) {
        String reason = reason(in);
        return changed(tube, found -> found.drain(reason, caller.name()));
    }

    @POST
    @Path("{tube}/resume")
    @Needs(Right.OPERATE)
    public TubeRow resume(@PathParam("tube") String tube, InputStream in) {
        Body body = Body.read(in);
        Sent.reason(body).ifPresent(audit::reason);
        body.end();
        return changed(tube, found -> found.resume(caller.name()));
    }

    /** Lets a sub-queue go on that a failed task holds. */
    @POST
    @Path("{tube}/let-go")
    @Needs(Right.OPERATE)
    public Views.Changed letGo(@PathParam("tube") String tube, InputStream in) {
        Body body = Body.read(in);
        audit.reason(Sent.requiredReason(body));
        String utube = body.required("utube");
        body.end();
        boolean held =
                tubes.change(Status.OK, connection -> connection.tube(tube).letGo(utube));
        audit.number(held ? 1 : 0);
        return new Views.Changed(held ? 1 : 0);
    }

    @POST
    @Path("{tube}/truncate")
    @Needs(Right.ADMIN)
    public Views.Changed truncate(@PathParam("tube") String tube, InputStream in) {
        Body body = Body.read(in);
        audit.reason(Sent.requiredReason(body));
        String confirm = body.text("confirm").orElse("");
        body.end();
        if (!confirm.equals(tube)) {
            throw new ProblemException(
                    Kind.CONFIRM, "the call removes all tasks; add the member 'confirm' with the name of the tube");
        }
        long removed = tubes.change(Status.OK, connection -> {
            long all = connection.tube(tube).truncate();
            audit.number(all);
            return all;
        });
        return new Views.Changed(removed);
    }

    @POST
    @Path("{tube}/tasks")
    @Needs(Right.OPERATE)
    public Response put(@PathParam("tube") String tube, InputStream in) {
        Body body = Body.read(in);
        Sent.reason(body).ifPresent(audit::reason);
        Task task = tubes.change(Status.CREATED, connection -> {
            Task added = Sent.put(connection.tube(tube), body);
            audit.task(Long.toString(added.id()));
            audit.number(1);
            return added;
        });
        Views.Acted put = new Views.Acted(
                task.tube(), Long.toString(task.id()), "put", task.state().name());
        return Response.created(uri.getBaseUriBuilder()
                        .path(TasksResource.class)
                        .path(task.tube())
                        .path(put.id())
                        .build())
                .entity(put)
                .build();
    }

    private String reason(InputStream in) {
        Body body = Body.read(in);
        String reason = Sent.requiredReason(body);
        body.end();
        audit.reason(reason);
        return reason;
    }

    private TubeRow changed(String name, Consumer<Tube> change) {
        tubes.change(Status.OK, (TubeConnection connection) -> {
            change.accept(connection.tube(name));
            audit.number(1);
            return name;
        });
        return tubes.changed(name);
    }
}
