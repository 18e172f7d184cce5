package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.tasktube.console.json.ServersView;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The servers on the database. */
@Path("servers")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class ServersResource {

    @Inject
    private Tubes tubes;

    @GET
    @Needs(Right.VIEW)
    public ServersView servers() {
        return tubes.with(connection -> ServersView.of(Tubes.admin(connection).servers()));
    }
}
