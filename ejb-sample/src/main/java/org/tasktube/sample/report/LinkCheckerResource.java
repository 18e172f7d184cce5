package org.tasktube.sample.report;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.tasktube.TaskNotFoundException;
import org.tasktube.sample.check.LinkChecker;
import org.tasktube.sample.check.Progress;
import org.tasktube.sample.check.Tubes;
import org.tasktube.sample.links.Address;

/** The link checker over HTTP. */
@Path("/")
@RequestScoped
public class LinkCheckerResource {

    private static final String TEXT = MediaType.TEXT_PLAIN + ";charset=utf-8";
    private static final String HTML = MediaType.TEXT_HTML + ";charset=utf-8";

    /** The longest wait, in seconds. A client then asks again. */
    private static final int LONGEST_WAIT = 60;

    @Inject
    private LinkChecker checker;

    @Inject
    private Tubes tubes;

    @Inject
    private Reports reports;

    @GET
    public Response home() {
        return Response.seeOther(URI.create("report.html")).build();
    }

    /** Begins a check of these pages. Earlier findings stay. */
    @POST
    @Path("check")
    @Produces(TEXT)
    public Response check(@QueryParam("url") List<String> urls) {
        if (urls.isEmpty()) {
            throw new BadRequestException(refusal("give the addresses to start at: check?url=…&url=…"));
        }
        try {
            long id = checker.check(starts(urls));
            return Response.accepted(id + "\n")
                    .location(URI.create("check/" + id))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(refusal(e.getMessage()), e);
        }
    }

    /**
     * Waits for the end of a check, at most this number of seconds. Returns its result; nothing if it has not ended.
     */
    @GET
    @Path("check/{id}")
    @Produces(MediaType.APPLICATION_JSON)
    public Progress await(@PathParam("id") long id, @QueryParam("seconds") @DefaultValue("0") int seconds) {
        try {
            return tubes.await(id, Duration.ofSeconds(Math.max(0, Math.min(seconds, LONGEST_WAIT))))
                    .orElse(null);
        } catch (TaskNotFoundException e) {
            throw new NotFoundException(e);
        }
    }

    /** Forgets all findings. */
    @DELETE
    @Path("check")
    public void clear() {
        checker.clear();
    }

    @GET
    @Path("progress")
    @Produces(MediaType.APPLICATION_JSON)
    public Progress progress() {
        return checker.progress();
    }

    @GET
    @Path("report.txt")
    @Produces(TEXT)
    public String text() {
        return TextReport.of(reports.report());
    }

    @GET
    @Path("report.html")
    @Produces(HTML)
    public String html() {
        return HtmlReport.of(reports.report());
    }

    private static List<Address> starts(List<String> urls) {
        return urls.stream().map(Address::start).toList();
    }

    private static Response refusal(String why) {
        return Response.status(Response.Status.BAD_REQUEST)
                .type(TEXT)
                .entity(why + "\n")
                .build();
    }
}
