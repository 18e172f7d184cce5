package org.tasktube.console.security;

import jakarta.inject.Inject;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;

/**
 * Answers a page with the login until there is a user. For a constraint of web.xml the server would begin a session per
 * request, with the address and the body, so that a client without a password could fill the memory. The login
 * remembers the page in the browser.
 */
@WebFilter(urlPatterns = "/*", asyncSupported = true)
public class PageFilter extends HttpFilter {

    /** The longest address, with its parameters; a filter of 2,000 characters fits however it is encoded. */
    static final int LONGEST_ADDRESS = 32 * 1024;

    private static final long serialVersionUID = 1;

    /** Files without data, and addresses that check their callers by themselves. */
    private static final List<String> OPEN = List.of(
            "/api/", "/css/", "/js/", "/icons/", "/favicon.", "/health/", "/metrics", "/login", ErrorServlet.ERROR);

    @Inject
    private transient Logins logins;

    @Override
    protected void doFilter(HttpServletRequest asked, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        boolean isOpen = !isRead(asked) || isOpen(path(asked));
        HttpServletRequest request = isOpen ? asked : logins.withUser(asked);
        if (length(request) > LONGEST_ADDRESS) {
            response.sendError(HttpServletResponse.SC_REQUEST_URI_TOO_LONG);
        } else if (isOpen) {
            chain.doFilter(request, response);
        } else if (request.getUserPrincipal() == null) {
            LoginServlet.ask(request, response);
        } else if (Right.of(request::isUserInRole).isEmpty()) {
            response.sendError(HttpServletResponse.SC_FORBIDDEN);
        } else {
            // After a logout the same address shows the login
            response.setHeader("Cache-Control", "no-store");
            chain.doFilter(request, response);
        }
    }

    /** The servlets of the pages refuse all other methods. */
    private static boolean isRead(HttpServletRequest request) {
        return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    }

    /** Returns the path as the server has decoded it, by which it finds the servlet. */
    private static String path(HttpServletRequest request) {
        String more = request.getPathInfo();
        return request.getServletPath() + (more == null ? "" : more);
    }

    private static boolean isOpen(String path) {
        return OPEN.stream().anyMatch(path::startsWith);
    }

    private static int length(HttpServletRequest request) {
        String query = request.getQueryString();
        return request.getRequestURI().length() + (query == null ? 0 : query.length());
    }
}
