package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.DateTimeException;
import java.time.Duration;
import org.tasktube.admin.DurationText;
import org.tasktube.admin.Flow;
import org.tasktube.console.json.FlowRows;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The tasks that went into the tubes and out of them. */
@Path("flow")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class FlowResource {

    @Inject
    private Tubes tubes;

    @GET
    @Needs(Right.VIEW)
    public FlowRows flow(@QueryParam("back") String back) {
        Duration time = back(back);
        return FlowRows.of(tubes.with(connection -> Tubes.admin(connection).flow(time)));
    }

    static Duration back(String text) {
        try {
            Duration back = text == null ? Flow.MAX_BACK : DurationText.parse(text);
            if (back.compareTo(Flow.BUCKET) >= 0 && back.compareTo(Flow.MAX_BACK) <= 0) {
                return back;
            }
        } catch (DateTimeException | ArithmeticException e) {
            // Out of its bounds as well
        }
        throw new ProblemException(
                Kind.VALUE, "back takes a duration from " + Flow.BUCKET + " to " + Flow.MAX_BACK + ", such as PT1H");
    }
}
