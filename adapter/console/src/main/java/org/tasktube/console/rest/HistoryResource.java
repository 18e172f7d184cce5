package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.Optional;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.console.json.HistoryView;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The history of a task, which may be gone. */
@Path("tasks/{tube}/{id}/history")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class HistoryResource {

    private static final int PAGE = 200;

    @Inject
    private Tubes tubes;

    @GET
    @Needs(Right.VIEW)
    public HistoryView get(
            @PathParam("tube") String tube,
            @PathParam("id") String id,
            @QueryParam("limit") String limit,
            @QueryParam("from") String from) {
        long number = Numbers.id(id);
        int most = Numbers.limit(limit, PAGE, TaskAdmin.MAX_EVENTS);
        Optional<String> begin = Optional.ofNullable(from).filter(value -> !value.isEmpty());
        return tubes.with(connection -> HistoryView.of(Tubes.admin(connection).history(tube, number, begin, most)));
    }
}
