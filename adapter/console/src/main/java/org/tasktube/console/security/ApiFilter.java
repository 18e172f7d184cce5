package org.tasktube.console.security;

import jakarta.inject.Inject;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import org.tasktube.console.audit.Audit;
import org.tasktube.console.audit.RefusedRequests;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.Problem;
import org.tasktube.console.problem.ProblemWriter;

/**
 * Refuses requests to the REST interface that have no user, come from another site, have a wrong type of body, or a
 * header that cannot be read. Notes each change that is refused before AuditFilter sees it.
 */
@WebFilter(urlPatterns = ApiFilter.PATHS, asyncSupported = true)
public class ApiFilter extends HttpFilter {

    static final String PATHS = "/api/*";

    private static final long serialVersionUID = 1;
    private static final String JSON = "application/json";

    @Inject
    private transient RefusedRequests refused;

    @Inject
    private transient Audit audit;

    @Inject
    private transient Logins logins;

    @Override
    protected void doFilter(HttpServletRequest asked, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest request = logins.withUser(asked);
        if (request.getUserPrincipal() == null || isLocked(request)) {
            refuse(request, response, Kind.LOGIN, Provider.howToLogIn());
        } else if (CrossSite.isChange(request.getMethod()) && !CrossSite.isOwn(request)) {
            refuse(
                    request,
                    response,
                    Kind.CROSS_SITE,
                    "a page of another site asks for this change; ask from a page"
                            + " of this server, or from a script without the headers Origin and Sec-Fetch-Site");
        } else if (hasBody(request) && !isJson(request.getContentType())) {
            refuse(request, response, Kind.CONTENT_TYPE, "the body needs the header Content-Type: application/json");
        } else if (hasBody(request) && !AcceptHeader.isType(request.getContentType())) {
            refuse(request, response, Kind.REQUEST, "the header Content-Type has parameters that cannot be read");
        } else {
            Optional<HttpServletRequest> readable = readable(request);
            if (readable.isPresent()) {
                answer(readable.get(), response, chain);
            } else {
                refuse(
                        request,
                        response,
                        Kind.REQUEST,
                        "the header Accept needs media types, such as application/json");
            }
        }
    }

    /** Returns whether the user came by a password, of which there were too many wrong ones. A right one ends fewer. */
    private static boolean isLocked(HttpServletRequest request) {
        Optional<String> name = FailedLogin.name(request.getHeader("Authorization"));
        name.ifPresent(WrongPasswords::forget);
        return name.filter(WrongPasswords::isLocked).isPresent();
    }

    /** Returns the request as RESTEasy can read it; empty if the header Accept has no such form. */
    private static Optional<HttpServletRequest> readable(HttpServletRequest request) {
        try {
            return Optional.of(new ReadableRequest(request, hasBody(request) ? Optional.of(JSON) : Optional.empty()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Has a resource answer. If RESTEasy cannot read the request, no filter of it notes that. The user is asked for
     * before, because the answer may be that of a logout.
     */
    private void answer(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String user = request.getUserPrincipal().getName();
        guarded(request, response, chain);
        if (!audit.hasBegun()) {
            note(user, request, response.getStatus());
        }
    }

    /** The server's own page for a failure would show its trace. */
    private static void guarded(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, response);
        } catch (ServletException | RuntimeException e) {
            if (response.isCommitted()) {
                throw e;
            }
            response.resetBuffer();
            ProblemWriter.writeFault(request.getMethod(), request.getRequestURI(), response, e);
        }
    }

    /** A DELETE has no body here. */
    private static boolean hasBody(HttpServletRequest request) {
        return CrossSite.isChange(request.getMethod()) && !request.getMethod().equals("DELETE");
    }

    private static boolean isJson(String type) {
        return type != null
                && type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals(JSON);
    }

    private void refuse(HttpServletRequest request, HttpServletResponse response, Kind kind, String detail)
            throws IOException {
        note(
                request.getUserPrincipal() == null
                        ? ""
                        : request.getUserPrincipal().getName(),
                request,
                kind.status());
        ProblemWriter.write(response, Problem.of(kind, detail, request.getRequestURI()));
    }

    private void note(String user, HttpServletRequest request, int status) {
        if (CrossSite.isChange(request.getMethod())) {
            refused.add(user, request, status);
        }
    }
}
