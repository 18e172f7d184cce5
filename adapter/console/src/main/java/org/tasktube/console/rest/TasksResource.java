package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskMeta;
import org.tasktube.TaskProgress;
import org.tasktube.TaskState;
import org.tasktube.admin.EditedTask;
import org.tasktube.admin.FoundTask;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.Body;
import org.tasktube.console.json.DataView;
import org.tasktube.console.json.Secrets;
import org.tasktube.console.json.TaskRow;
import org.tasktube.console.json.Views;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Caller;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** Searches, one task, and its acts. */
@Path("tasks")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class TasksResource {

    private static final int MAX_PAGE = 200;
    private static final int PAGE = 50;

    @Inject
    private Tubes tubes;

    @Inject
    private Caller caller;

    @Inject
    private Audit audit;

    @Inject
    private RestSessions sessions;

    @Inject
    private Searches searches;

    @Context
    private UriInfo uri;

    @GET
    @Needs(Right.VIEW)
    public Views.Page search(
            @QueryParam("filter") String text, @QueryParam("limit") String limit, @QueryParam("from") String from) {
        TaskFilter filter = TaskFilter.parse(text == null ? "" : text);
        checkSecrets(filter);
        int most = Numbers.limit(limit, PAGE, MAX_PAGE);
        Optional<String> begin = Optional.ofNullable(from).filter(value -> !value.isEmpty());
        TaskPage page = searches.of(
                caller.name(),
                () -> tubes.with(connection -> Tubes.admin(connection).search(filter, begin, most)));
        List<Long> taken = page.tasks().stream()
                .map(FoundTask::meta)
                .filter(meta -> meta.state() == TaskState.TAKEN)
                .map(TaskMeta::id)
                .toList();
        Map<Long, TaskProgress> progress = taken.isEmpty()
                ? Map.of()
                : tubes.with(connection -> Tubes.admin(connection).progress(taken));
        return new Views.Page(
                page.tasks().stream()
                        .map(task -> TaskRow.of(
                                task,
                                page.beginnings().get(task.meta().id()),
                                progress.get(task.meta().id()),
                                caller.may(Right.OPERATE, task.meta().tube())))
                        .toList(),
                page.looked(),
                page.next().orElse(null),
                page.gone().isEmpty()
                        ? null
                        : page.gone().stream().map(Views.Gone::of).toList());
    }

    /** A user who does not see a value must not find it by trying filters either. */
    private void checkSecrets(TaskFilter filter) {
        if (filter.conditions().stream().anyMatch(Secrets::areReadBy) && !caller.may(Right.OPERATE, filter)) {
            throw new ProblemException(
                    Kind.FORBIDDEN,
                    "this condition on data could read hidden values, and needs the right " + Right.OPERATE
                            + "; name a member that is not secret, and a value without *, as data.customer.id:42, or look"
                            + " for a word by key:*word* or error:*word*");
        }
    }

    @GET
    @Path("{tube}/{id}")
    @Needs(Right.VIEW)
    public TaskRow get(@PathParam("tube") String tube, @PathParam("id") String id) {
        long number = Numbers.id(id);
        return tubes.with(connection -> OneTask.read(connection, tube, number, caller.may(Right.OPERATE, tube)));
    }

    /** Returns all bytes of the data as a file, which no browser shows as a page. */
    @GET
    @Path("{tube}/{id}/data")
    @Produces(MediaType.WILDCARD)
    @Needs(Right.VIEW)
    public Response data(@PathParam("tube") String tube, @PathParam("id") String id) {
        long number = Numbers.id(id);
        TaskData data = tubes.with(
                connection -> Tubes.admin(connection).task(tube, number).task().data());
        boolean text =
                data.contentType().equals(TaskData.TEXT) || data.contentType().equals(TaskData.JSON);
        return Response.ok(shown(tube, data.bytes()))
                .type(text ? "text/plain;charset=UTF-8" : MediaType.APPLICATION_OCTET_STREAM)
                .header(
                        HttpHeaders.CONTENT_DISPOSITION,
                        "attachment; filename=\"" + tube + "-" + number + (text ? ".txt\"" : ".bin\""))
                .build();
    }

    private byte[] shown(String tube, byte[] bytes) {
        if (caller.may(Right.OPERATE, tube)) {
            return bytes;
        }
        try {
            return DataView.masked(bytes);
        } catch (Secrets.NotJsonException e) {
            throw new ProblemException(
                    Kind.FORBIDDEN,
                    "this data is no JSON, so secret values in it cannot be found and hidden; reading it needs the right "
                            + Right.OPERATE);
        }
    }

    @POST
    @Path("{tube}/{id}/edit")
    @Needs(Right.OPERATE)
    public Response edit(@PathParam("tube") String tube, @PathParam("id") String id, InputStream in) {
        long number = Numbers.id(id);
        Body body = Body.read(in);
        audit.reason(Sent.requiredReason(body));
        EditedTask edited = Sent.edited(body);
        Task task = tubes.change(Response.Status.CREATED, connection -> {
            Task added = Tubes.admin(connection).retryEdited(tube, number, edited);
            audit.number(1);
            return added;
        });
        Views.Acted put = new Views.Acted(
                tube, Long.toString(task.id()), "edit", task.state().name());
        return Response.created(uri.getBaseUriBuilder()
                        .path(TasksResource.class)
                        .path(tube)
                        .path(put.id())
                        .build())
                .entity(put)
                .build();
    }

    @POST
    @Path("{tube}/{id}/{act}")
    @Needs(Right.OPERATE)
    public Views.Acted act(
            @PathParam("tube") String tube,
            @PathParam("id") String id,
            @PathParam("act") String name,
            @HeaderParam(RestSessions.HEADER) String header,
            InputStream in) {
        TaskAct act = TaskAct.of(name);
        long number = Numbers.id(id);
        Body body = Body.read(in);
        Sent.reason(body).ifPresent(audit::reason);
        Consumer<TaskAct.Target> work = act.read(body, header != null);
        Optional<String> state = header == null
                ? act(tube, number, work, Optional.empty())
                : sessions.during(header, caller.name(), own -> act(tube, number, work, Optional.of(own)));
        return new Views.Acted(tube, Long.toString(number), act.label(), state.orElse(null));
    }

    /** Returns the state after the act; empty if the task is gone. */
    private Optional<String> act(String tube, long id, Consumer<TaskAct.Target> work, Optional<UUID> session) {
        return tubes.change(Response.Status.OK, connection -> {
            session.ifPresent(own -> sessions.join(connection, own, caller.name()));
            work.accept(new TaskAct.Target(connection, connection.tube(tube), id, session));
            audit.number(1);
            return connection.tube(tube).meta(id).map(meta -> meta.state().name());
        });
    }
}
