package org.tasktube.console.metrics;

import jakarta.annotation.Resource;
import jakarta.annotation.security.DeclareRoles;
import jakarta.servlet.annotation.HttpConstraint;
import jakarta.servlet.annotation.ServletSecurity;
import jakarta.servlet.annotation.ServletSecurity.EmptyRoleSemantic;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.tasktube.ConnectionException;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.Problem;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.problem.ProblemWriter;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Answers Prometheus. The constraint of the pages does not hold here: {@link MetricsAccess} checks the caller. */
@WebServlet(MetricsServlet.PATH)
@ServletSecurity(@HttpConstraint(EmptyRoleSemantic.PERMIT))
@DeclareRoles(MetricsAccess.ROLE)
public class MetricsServlet extends ReadServlet {

    static final String PATH = "/metrics";

    private static final long serialVersionUID = 1;

    @Resource(name = "tasktube")
    private transient TubeConnectionFactory factory;

    private final transient Cached<Optional<byte[]>> metrics = new Cached<>(this::metrics);

    public MetricsServlet() {}

    MetricsServlet(TubeConnectionFactory factory) {
        this.factory = factory;
    }

    @Override
    void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            MetricsAccess.check(
                    System.getProperty(MetricsAccess.PROPERTY),
                    request.getHeader("Authorization"),
                    request.getUserPrincipal() != null,
                    request::isUserInRole);
        } catch (ProblemException e) {
            refuse(request, response, e);
            return;
        }
        Optional<byte[]> body = metrics.get().flatMap(read -> read);
        if (body.isPresent()) {
            response.setContentType(PrometheusText.CONTENT_TYPE);
            write(response, body.get());
        } else {
            response.setHeader("Retry-After", "1");
            String detail = "the pool of the adapter's connection factory has no free connection on this server";
            ProblemWriter.write(response, Problem.of(Kind.NO_CONNECTION, detail, request.getRequestURI()));
        }
    }

    private static void refuse(HttpServletRequest request, HttpServletResponse response, ProblemException why)
            throws IOException {
        if (why.kind() == Kind.LOGIN) {
            response.setHeader("WWW-Authenticate", "Bearer realm=\"TaskTube\"");
        }
        ProblemWriter.write(response, Problem.of(why.kind(), why.getMessage(), request.getRequestURI()));
    }

    /** Returns empty if no connection is free. */
    private Optional<byte[]> metrics() {
        try (TubeConnection connection = factory.getConnection()) {
            Scrape scrape = ScrapeReader.read(connection, System.getProperty("jboss.node.name", ""));
            return Optional.of(PrometheusText.of(scrape).getBytes(UTF_8));
        } catch (ConnectionException e) {
            return Optional.empty();
        }
    }
}
