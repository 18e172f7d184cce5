package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.util.Optional;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.Views;
import org.tasktube.console.live.LiveEvents;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Login;
import org.tasktube.console.security.Logins;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The sessions of browsers on the server that answers. */
@Path("logins")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class LoginsResource {

    @Inject
    private Logins logins;

    @Inject
    private LiveEvents live;

    @Inject
    private Audit audit;

    @GET
    @Needs(Right.ADMIN)
    public Views.Logins logins(@Context HttpServletRequest request) {
        String own = Optional.ofNullable(request.getSession(false))
                .map(HttpSession::getId)
                .orElse("");
        return new Views.Logins(logins.all().stream()
                .map(login -> new Views.Login(
                        login.id(),
                        login.user(),
                        login.address(),
                        login.since(),
                        login.session().getId().equals(own)))
                .toList());
    }

    /** Ends one, with its streams of events. The password of the user still opens another one. */
    @DELETE
    @Path("{login}")
    @Needs(Right.ADMIN)
    public void endLogin(@PathParam("login") String id) {
        Login login = logins.find(id)
                .orElseThrow(() -> new ProblemException(
                        Kind.NO_RESOURCE, "this server has no such login, or it has ended; read the logins again"));
        audit.reason("the login of " + login.user() + " from " + login.address());
        live.endOther(login.session());
    }
}
