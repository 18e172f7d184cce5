package org.tasktube.console.metrics;

import jakarta.annotation.Resource;
import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import jakarta.servlet.annotation.HttpConstraint;
import jakarta.servlet.annotation.ServletSecurity;
import jakarta.servlet.annotation.ServletSecurity.EmptyRoleSemantic;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.tasktube.AdapterState;
import org.tasktube.ConnectionException;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.Problem;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Answers load balancers and orchestrators without a login, by status and state only. {@value #LIVE} is 200 while the
 * console answers. {@value #READY} is 200 while the adapter is RUNNING, otherwise 503.
 */
@WebServlet({HealthServlet.LIVE, HealthServlet.READY})
@ServletSecurity(@HttpConstraint(EmptyRoleSemantic.PERMIT))
public class HealthServlet extends ReadServlet {

    static final String LIVE = "/health/live";
    static final String READY = "/health/ready";

    private static final long serialVersionUID = 1;

    @Resource(name = "tasktube")
    private transient TubeConnectionFactory factory;

    private final transient Cached<Optional<AdapterState>> state = new Cached<>(this::state);

    public HealthServlet() {}

    HealthServlet(TubeConnectionFactory factory) {
        this.factory = factory;
    }

    @Override
    void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getServletPath().equals(LIVE)) {
            healthy(response, status(HttpServletResponse.SC_OK));
            return;
        }
        Optional<AdapterState> read = state.get().flatMap(known -> known);
        if (read.isPresent() && read.get() == AdapterState.RUNNING) {
            healthy(response, status(HttpServletResponse.SC_OK).add("state", AdapterState.RUNNING.name()));
        } else {
            notReady(response, read);
        }
    }

    /** Without a free connection the state is unknown, and left out. */
    private static void notReady(HttpServletResponse response, Optional<AdapterState> state) throws IOException {
        Kind kind = state.isPresent() ? Kind.NOT_RUNNING : Kind.NO_CONNECTION;
        JsonObjectBuilder problem =
                status(kind.status()).add("type", kind.type()).add("title", kind.title());
        state.ifPresent(known -> problem.add("state", known.name()));
        response.setStatus(kind.status());
        response.setContentType(Problem.TYPE);
        response.setHeader("Retry-After", "1");
        write(response, problem.build().toString().getBytes(UTF_8));
    }

    private static void healthy(HttpServletResponse response, JsonObjectBuilder body) throws IOException {
        response.setContentType("application/json");
        write(response, body.build().toString().getBytes(UTF_8));
    }

    private static JsonObjectBuilder status(int status) {
        return Json.createObjectBuilder().add("status", status);
    }

    /** Returns empty if no connection is free. */
    private Optional<AdapterState> state() {
        try (TubeConnection connection = factory.getConnection()) {
            return Optional.of(connection.state());
        } catch (ConnectionException e) {
            return Optional.empty();
        }
    }
}
