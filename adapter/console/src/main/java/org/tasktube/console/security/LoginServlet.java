package org.tasktube.console.security;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.io.InputStream;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.Problem;
import org.tasktube.console.problem.ProblemWriter;

/** Answers a request without a user: a person gets the page of the login, a script gets a problem. */
@WebServlet({LoginServlet.LOGIN, LoginServlet.FAILED})
public class LoginServlet extends HttpServlet {

    static final String LOGIN = "/login";
    static final String FAILED = "/login-failed";

    private static final long serialVersionUID = 1;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        forget(request);
        if (request.getServletPath().equals(FAILED)) {
            FailedLogin.byForm(request);
        }
        Object forwarded = request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI);
        String asked = forwarded == null ? "" : forwarded.toString();
        if (isForScripts(asked, request.getContextPath())) {
            ProblemWriter.write(response, Problem.of(Kind.LOGIN, "the name or the password is wrong", asked));
            return;
        }
        if (forwarded == null) {
            response.sendRedirect(request.getContextPath() + "/");
            return;
        }
        writePage(getServletContext(), response);
    }

    /**
     * Writes the page of the login. The server's own servlet for files would compare it with the copy of the page that
     * was asked for, and answer that nothing has changed.
     */
    static void writePage(ServletContext context, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        response.setContentType("text/html;charset=UTF-8");
        try (InputStream page = context.getResourceAsStream("/login.html")) {
            page.transferTo(response.getOutputStream());
        }
    }

    /** The server has begun a session for a request with a wrong password, which has the body in it. */
    private static void forget(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session != null && session.isNew()) {
            session.invalidate();
        }
    }

    /** A page with status 200 would not show a script, or Prometheus, that its password is wrong. */
    static boolean isForScripts(String asked, String context) {
        return asked.startsWith(context + "/api/") || asked.equals(context + "/metrics");
    }
}
