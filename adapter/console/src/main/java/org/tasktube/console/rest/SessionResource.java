package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tasktube.TubeConnection;
import org.tasktube.admin.TubeDetail;
import org.tasktube.console.json.Views;
import org.tasktube.console.security.Caller;
import org.tasktube.console.security.Logins;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Provider;
import org.tasktube.console.security.Right;

/** The user, and the server that answers. */
@Path("session")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class SessionResource {

    private static final Pattern ADAPTER = Pattern.compile("(tasktube[a-z0-9-]*)[.]configure[.]deployments");

    @Inject
    private Tubes tubes;

    @Inject
    private Caller caller;

    @Inject
    private Logins logins;

    @GET
    @Needs(Right.VIEW)
    public Views.Session session() {
        return tubes.with(connection -> new Views.Session(
                caller.name(),
                Provider.isThere(),
                names(caller.rights()),
                rightsOnTubes(),
                Tubes.server(),
                adapters(),
                Objects.requireNonNullElse(TubeConnection.class.getPackage().getImplementationVersion(), ""),
                connection.state().name(),
                Instant.now(),
                "none"));
    }

    /**
     * Returns the rights of the user on tubes on which there are more than everywhere. While the database is away, the
     * answer has none.
     */
    private Map<String, List<String>> rightsOnTubes() {
        if (caller.may(Right.ADMIN)) {
            return Map.of();
        }
        Map<String, List<String>> more = new TreeMap<>();
        for (TubeDetail tube : tubes.detailsIfRead()) {
            String name = tube.definition().name();
            List<Right> here = Arrays.stream(Right.values())
                    .filter(right -> caller.may(right, name))
                    .toList();
            if (here.size() > caller.rights().size()) {
                more.put(name, names(here));
            }
        }
        return more;
    }

    /** The notes of configure.cli, which gives each adapter a console. */
    private static List<String> adapters() {
        return System.getProperties().stringPropertyNames().stream()
                .map(ADAPTER::matcher)
                .filter(Matcher::matches)
                .map(note -> note.group(1))
                .sorted()
                .toList();
    }

    private static List<String> names(List<Right> rights) {
        return rights.stream().map(Right::name).toList();
    }

    /** Logs out, also the streams of events of other pages of the same login. */
    @DELETE
    @Needs(Right.VIEW)
    public void logout(@Context HttpServletRequest request, @Context HttpServletResponse response)
            throws ServletException {
        boolean isDone = logins.end(request);
        Logins.removeCookie(request, response);
        if (request.getSession(false) != null) {
            // The server's own login, by OpenID Connect
            request.logout();
        }
        if (!isDone) {
            throw Logins.notEverywhere();
        }
    }
}
