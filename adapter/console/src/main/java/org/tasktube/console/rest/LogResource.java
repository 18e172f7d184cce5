package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.tasktube.console.json.HistoryView;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** What was logged during the deliveries of a task. Only operators see it: an application can log secret values. */
@Path("tasks/{tube}/{id}/log")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class LogResource {

    @Inject
    private Tubes tubes;

    @GET
    @Needs(Right.OPERATE)
    public HistoryView.Logs get(@PathParam("tube") String tube, @PathParam("id") String id) {
        long number = Numbers.id(id);
        return tubes.with(
                connection -> new HistoryView.Logs(Tubes.admin(connection).deliveryLogs(tube, number)));
    }
}
