package org.tasktube.console.security;

import jakarta.inject.Inject;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.Set;
import org.tasktube.console.audit.AuditLog;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.Problem;
import org.tasktube.console.problem.ProblemWriter;
import org.wildfly.security.auth.server.SecurityIdentity;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The login by the form of the page. The server's own form begins a session for a wrong password, with the body in it,
 * and writes warnings of its contexts for each.
 */
@WebServlet(LoginServlet.LOGIN)
public class LoginServlet extends HttpServlet {

    static final String LOGIN = "/login";

    /** A name and a password; without a bound, each client could have the server read without an end. */
    private static final int LONGEST_FORM = 8 * 1024;

    private static final long serialVersionUID = 1;

    @Inject
    private transient Logins logins;

    /** For a reload of the page after a wrong password, and for a login at the provider in a window of its own. */
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (Provider.isThere()) {
            ProviderServlet.send(request, response, ProviderServlet.WINDOW);
        } else {
            response.sendRedirect(request.getContextPath() + "/");
        }
    }

    /** Asks for a login: by the form, or by a redirect to the provider. */
    static void ask(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (Provider.isThere()) {
            String query = request.getQueryString();
            ProviderServlet.send(request, response, request.getRequestURI() + (query == null ? "" : "?" + query));
        } else {
            writePage(request.getServletContext(), response);
        }
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (!CrossSite.isOwn(request)) {
            refuse(
                    request,
                    response,
                    Kind.CROSS_SITE,
                    "the page of another site asks for this login; open the console itself. Behind a proxy, have the"
                            + " proxy keep the header Host");
            return;
        }
        if (Provider.isThere()) {
            refuse(request, response, Kind.METHOD, "log in at the provider: open the console in a browser");
            return;
        }
        byte[] form = request.getInputStream().readNBytes(LONGEST_FORM + 1);
        if (form.length > LONGEST_FORM) {
            refuse(
                    request,
                    response,
                    Kind.TOO_LARGE,
                    "send the form of the login, of at most " + LONGEST_FORM + " bytes");
            return;
        }
        login(request, response, LoginForm.of(new String(form, UTF_8)));
    }

    private static void refuse(HttpServletRequest request, HttpServletResponse response, Kind kind, String detail)
            throws IOException {
        ProblemWriter.write(response, Problem.of(kind, detail, request.getRequestURI()));
    }

    /** Logs a user in. The login that this browser has, perhaps of another user, ends before. */
    private void login(HttpServletRequest request, HttpServletResponse response, LoginForm form)
            throws IOException, ServletException {
        boolean unused = logins.end(request);
        Optional<SecurityIdentity> user =
                WrongPasswords.isLocked(form.user()) ? Optional.empty() : Realm.with(form.user(), form.password());
        Set<String> roles = user.map(Realm::roles).orElse(Set.of());
        if (user.isEmpty()) {
            WrongPasswords.add(form.user());
            AuditLog.loginFailed(form.user(), request.getRemoteAddr());
            writePage(getServletContext(), response);
        } else if (Right.of(roles::contains).isEmpty()) {
            refuse(request, response, form, HttpServletResponse.SC_FORBIDDEN);
        } else if (logins.hasRoom()) {
            WrongPasswords.forget(form.user());
            logins.begin(request, response, user.get().getPrincipal().getName(), roles);
            response.sendRedirect(request.getContextPath() + "/");
        } else {
            refuse(request, response, form, ErrorServlet.TOO_MANY_REQUESTS);
        }
    }

    /** Answers with a page: the password was right, but there is no login. */
    private static void refuse(HttpServletRequest request, HttpServletResponse response, LoginForm form, int status)
            throws IOException {
        AuditLog.refused(form.user(), request.getMethod(), request.getRequestURI(), status);
        response.sendError(status);
    }

    /**
     * Writes the page of the login. The server's own servlet for files would compare it with the copy of the page that
     * was asked for, and answer that nothing has changed.
     */
    static void writePage(ServletContext context, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        response.setContentType("text/html;charset=UTF-8");
        try (InputStream page = context.getResourceAsStream("/login.html")) {
            String text = new String(page.readAllBytes(), UTF_8);
            response.getWriter().write(text.replace("/tasktube/login", context.getContextPath() + "/login"));
        }
    }
}
