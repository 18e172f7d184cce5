package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.tasktube.FailureGroup;
import org.tasktube.console.json.Views;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The kinds of failures. */
@Path("failures")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class FailuresResource {

    private static final int MAX = 200;
    private static final int SOME = 50;

    @Inject
    private Tubes tubes;

    @GET
    @Needs(Right.VIEW)
    public List<Views.Failures> list(@QueryParam("limit") String limit) {
        int most = Numbers.limit(limit, SOME, MAX);
        List<FailureGroup> groups =
                tubes.with(connection -> Tubes.admin(connection).failures(most));
        return groups.stream().map(Views.Failures::of).toList();
    }
}
