package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.UriInfo;
import java.util.OptionalLong;
import org.tasktube.admin.AuditQuery;
import org.tasktube.console.json.AuditView;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The acts of all users, the newest first. */
@Path("audit")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class AuditResource {

    private static final int MAX = 200;
    private static final int SOME = 50;

    @Inject
    private Tubes tubes;

    @GET
    @Needs(Right.OPERATE)
    public AuditView list(
            @QueryParam("from") String from, @QueryParam("limit") String limit, @Context UriInfo address) {
        MultivaluedMap<String, String> asked = address.getQueryParameters();
        AuditQuery query = AuditQuery.of(
                        Numbers.text("who", asked.getFirst("who")),
                        Numbers.text("act", asked.getFirst("act")),
                        Numbers.text("tube", asked.getFirst("tube")),
                        Numbers.text("task", asked.getFirst("task")))
                .within(Numbers.time("since", asked.getFirst("since")), Numbers.time("until", asked.getFirst("until")));
        OptionalLong begin = Numbers.from(from);
        int most = Numbers.limit(limit, SOME, MAX);
        return tubes.with(connection -> AuditView.of(Tubes.admin(connection).audit(query, begin, most)));
    }
}
