package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.ServersView;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The servers on the database. */
@Path("servers")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class ServersResource {

    @Inject
    private Tubes tubes;

    @Inject
    private Audit audit;

    @GET
    @Needs(Right.VIEW)
    public ServersView servers() {
        return tubes.with(connection -> ServersView.of(Tubes.admin(connection).servers()));
    }

    /** Dismisses the problem that a server has died. */
    @DELETE
    @Path("{number}")
    @Needs(Right.OPERATE)
    public void dismiss(@PathParam("number") int number) {
        audit.reason("the death of server number " + number);
        if (!tubes.with(connection -> Tubes.admin(connection).dismissServer(number))) {
            throw new ProblemException(
                    Kind.NO_RESOURCE, "no dead server has the number " + number + "; read the servers again");
        }
    }
}
