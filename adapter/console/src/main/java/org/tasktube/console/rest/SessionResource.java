package org.tasktube.console.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.tasktube.TubeConnection;
import org.tasktube.console.json.Views;
import org.tasktube.console.live.LiveEvents;
import org.tasktube.console.security.Caller;
import org.tasktube.console.security.Needs;
import org.tasktube.console.security.Right;

/** The user, and the server that answers. */
@Path("session")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class SessionResource {

    /** The longest wait of a logout for the streams of its session. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Logger LOG = Logger.getLogger("org.tasktube.console");

    @Inject
    private Tubes tubes;

    @Inject
    private Caller caller;

    @Inject
    private LiveEvents live;

    @GET
    @Needs(Right.VIEW)
    public Views.Session session() {
        return tubes.with(connection -> new Views.Session(
                caller.name(),
                caller.rights().stream().map(Right::name).toList(),
                Tubes.server(),
                Objects.requireNonNullElse(TubeConnection.class.getPackage().getImplementationVersion(), ""),
                connection.state().name(),
                Instant.now(),
                "none"));
    }

    /** Logs out, also the streams of events of other pages of the same login. */
    @DELETE
    @Needs(Right.VIEW)
    public void logout(@Context HttpServletRequest request) throws ServletException {
        HttpSession session = request.getSession(false);
        if (session != null) {
            awaitEnd(live.end(session.getId()));
        }
        request.logout();
        if (session != null) {
            session.invalidate();
        }
    }

    /**
     * The server ends the request of a stream on another thread, and asks for its session there. It logs errors if that
     * is invalid by then.
     */
    private static void awaitEnd(CompletableFuture<?> streams) {
        try {
            streams.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.debugf(e, "A stream of events has not ended within %s; its user is logged out all the same", PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
