package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.tasktube.console.json.WorkView;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The work of all servers in the last 5 minutes. */
@Path("work")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class WorkResource {

    @Inject
    private Tubes tubes;

    @GET
    @Needs(Right.VIEW)
    public WorkView work() {
        return WorkView.of(tubes.with(connection -> Tubes.admin(connection).work()), Tubes.server());
    }
}
