package org.tasktube.console.security;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Base64;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The addresses that web.xml constrains: the server sends who is not logged in to the provider of OpenID Connect, and
 * from there back to here. Then it leads to the page that was asked for. The page is a part of the path, because WildFly
 * leaves the parameters out of the address to which the provider returns.
 */
@WebServlet(ProviderServlet.ADDRESS + "*")
public class ProviderServlet extends HttpServlet {

    static final String ADDRESS = "/login/provider/";

    /** In place of a page: the login is in a window of its own, which ends with a sentence. */
    static final String WINDOW = "window";

    private static final long serialVersionUID = 1;

    /** Sends a client to this address, with the page to which it leads then. */
    static void send(HttpServletRequest request, HttpServletResponse response, String to) throws IOException {
        response.sendRedirect(request.getContextPath()
                + ADDRESS
                + Base64.getUrlEncoder().withoutPadding().encodeToString(to.getBytes(UTF_8)));
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String to = to(request.getPathInfo());
        if (!Provider.isThere()) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        } else if (WINDOW.equals(to)) {
            response.setHeader("Cache-Control", "no-store");
            response.setContentType("text/plain;charset=UTF-8");
            response.getWriter().write("You are signed in. Close this window, and go on in the other one.");
        } else {
            response.sendRedirect(isOwn(to, request.getContextPath()) ? to : request.getContextPath() + "/");
        }
    }

    /** Returns the page that a path has; empty if it has none. */
    private static String to(String path) {
        try {
            return path == null ? "" : new String(Base64.getUrlDecoder().decode(path.substring(1)), UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** Returns whether an address is a page of the console: a link of another site may have written it. */
    private static boolean isOwn(String to, String context) {
        return to.startsWith(context + "/")
                && !to.contains("//")
                && !to.contains("\\")
                && to.chars().noneMatch(Character::isISOControl);
    }
}
