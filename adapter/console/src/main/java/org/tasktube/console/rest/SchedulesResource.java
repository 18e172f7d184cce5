package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response.Status;
import java.io.InputStream;
import java.util.Optional;
import java.util.function.Consumer;
import org.tasktube.ScheduleNotFoundException;
import org.tasktube.Task;
import org.tasktube.admin.ScheduleStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.Body;
import org.tasktube.console.json.ScheduleView;
import org.tasktube.console.json.Views;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The schedules. Only applications make them. */
@Path("schedules")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class SchedulesResource {

    @Inject
    private Tubes tubes;

    @Inject
    private Audit audit;

    @GET
    @Needs(Right.VIEW)
    public ScheduleView.All schedules() {
        return new ScheduleView.All(tubes.with(connection -> Tubes.admin(connection).schedules().stream()
                .map(ScheduleView::of)
                .toList()));
    }

    /** Puts a task of the schedule now. */
    @POST
    @Path("{schedule}/run")
    @Needs(Right.OPERATE)
    public Views.Acted run(@PathParam("schedule") String name, InputStream in) {
        Body body = Body.read(in);
        Sent.reason(body).ifPresent(audit::reason);
        body.end();
        Task task = tubes.change(Status.OK, connection -> {
            TaskAdmin admin = Tubes.admin(connection);
            audit.tube(status(admin, name).schedule().tube());
            Task put = admin.runSchedule(name);
            audit.task(Long.toString(put.id()));
            audit.number(1);
            return put;
        });
        return new Views.Acted(
                task.tube(), Long.toString(task.id()), "run", task.state().name());
    }

    @POST
    @Path("{schedule}/pause")
    @Needs(Right.OPERATE)
    public ScheduleView pause(@PathParam("schedule") String name, InputStream in) {
        Body body = Body.read(in);
        String reason = Sent.requiredReason(body);
        body.end();
        audit.reason(reason);
        return changed(name, admin -> admin.pauseSchedule(name, tubes.by(), reason));
    }

    @POST
    @Path("{schedule}/resume")
    @Needs(Right.OPERATE)
    public ScheduleView resume(@PathParam("schedule") String name, InputStream in) {
        Body body = Body.read(in);
        Sent.reason(body).ifPresent(audit::reason);
        body.end();
        return changed(name, admin -> admin.resumeSchedule(name));
    }

    /** Removes a schedule. The next deployment of its application makes it again. */
    @DELETE
    @Path("{schedule}")
    @Needs(Right.ADMIN)
    public void remove(@PathParam("schedule") String name) {
        audit.reason("the schedule " + name);
        tubes.change(Status.NO_CONTENT, connection -> {
            if (!connection.unschedule(name)) {
                throw new ScheduleNotFoundException(name);
            }
            return name;
        });
    }

    private ScheduleView changed(String name, Consumer<TaskAdmin> change) {
        return tubes.change(Status.OK, connection -> {
            TaskAdmin admin = Tubes.admin(connection);
            audit.tube(status(admin, name).schedule().tube());
            change.accept(admin);
            return ScheduleView.of(status(admin, name));
        });
    }

    private static ScheduleStatus status(TaskAdmin admin, String name) {
        Optional<ScheduleStatus> found = admin.schedules().stream()
                .filter(each -> each.schedule().name().equals(name))
                .findFirst();
        return found.orElseThrow(() -> new ScheduleNotFoundException(name));
    }
}
