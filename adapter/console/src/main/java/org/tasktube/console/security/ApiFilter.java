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
import org.tasktube.console.audit.RefusedRequests;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.Problem;
import org.tasktube.console.problem.ProblemWriter;

/** Refuses requests to the REST interface that have no user, come from another site, or have a wrong type of body. */
@WebFilter(urlPatterns = ApiFilter.PATHS, asyncSupported = true)
public class ApiFilter extends HttpFilter {

    static final String PATHS = "/api/*";

    private static final long serialVersionUID = 1;
    private static final String JSON = "application/json";
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    @Inject
    private transient RefusedRequests refused;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getUserPrincipal() == null) {
            refuse(request, response, Kind.LOGIN, "log in first: send the name and password of a user by BASIC");
        } else if (CrossSite.isChange(request.getMethod()) && !isOwn(request)) {
            refuse(
                    request,
                    response,
                    Kind.CROSS_SITE,
                    "a page of another site asks for this change; ask from a page"
                            + " of this server, or from a script without the headers Origin and Sec-Fetch-Site");
        } else if (hasBody(request) && !isJson(request.getContentType())) {
            refuse(request, response, Kind.CONTENT_TYPE, "the body needs the header Content-Type: application/json");
        } else {
            answer(request, response, chain);
        }
    }

    /** The server's own page for a failure would show its trace. */
    private static void answer(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        LoginSession.extend(request);
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

    private static boolean isOwn(HttpServletRequest request) {
        return CrossSite.isOwn(
                request.getHeader("Sec-Fetch-Site"),
                request.getHeader("Origin"),
                request.getHeader("Host"),
                request.isSecure() ? HTTPS : HTTP);
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
        if (CrossSite.isChange(request.getMethod())) {
            String user = request.getUserPrincipal() == null
                    ? ""
                    : request.getUserPrincipal().getName();
            refused.add(user, request.getMethod(), request.getRequestURI(), request.getContextPath(), kind);
        }
        ProblemWriter.write(response, Problem.of(kind, detail, request.getRequestURI()));
    }
}
