package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import org.tasktube.admin.UserLogin;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.json.Views;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Logins;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The logins of browsers on all servers. */
@Path("logins")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class LoginsResource {

    @Inject
    private Logins logins;

    @Inject
    private Audit audit;

    @GET
    @Needs(Right.ADMIN)
    public Views.Logins logins(@Context HttpServletRequest request) {
        String own = logins.of(request).orElse("");
        return new Views.Logins(logins.all().stream()
                .map(login -> new Views.Login(
                        id(login),
                        login.user(),
                        login.address(),
                        login.server(),
                        login.since(),
                        login.seen(),
                        login.key().equals(own)))
                .toList());
    }

    private static String id(UserLogin login) {
        return login.key().substring(0, Logins.ID_LENGTH);
    }

    /** Ends one, with its streams of events on this server. The password of the user still opens another one. */
    @DELETE
    @Path("{login}")
    @Needs(Right.ADMIN)
    public void endLogin(@PathParam("login") String id) {
        UserLogin login = logins.all().stream()
                .filter(each -> id(each).equals(id))
                .findFirst()
                .orElseThrow(() -> new ProblemException(
                        Kind.NO_RESOURCE, "there is no such login, or it has ended; read the logins again"));
        audit.reason("the login of " + login.user() + " from " + login.address());
        if (!logins.end(login.key())) {
            throw Logins.notEverywhere();
        }
    }
}
