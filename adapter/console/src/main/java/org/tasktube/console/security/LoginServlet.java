package org.tasktube.console.security;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
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
        Object forwarded = request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI);
        String asked = forwarded == null ? "" : forwarded.toString();
        if (isForScripts(asked, request.getContextPath())) {
            forget(request);
            ProblemWriter.write(response, Problem.of(Kind.LOGIN, "the name or the password is wrong", asked));
            return;
        }
        if (forwarded == null) {
            response.sendRedirect(request.getContextPath() + "/");
            return;
        }
        LoginSession.begin(request);
        response.setHeader("Cache-Control", "no-store");
        request.getRequestDispatcher("/login.html").forward(request, response);
    }

    /** A page with status 200 would not show a script, or Prometheus, that its password is wrong. */
    static boolean isForScripts(String asked, String context) {
        return asked.startsWith(context + "/api/") || asked.equals(context + "/metrics");
    }

    /** The login has made a session for this request only, which the script will not send again. */
    private static void forget(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session != null && session.isNew()) {
            session.invalidate();
        }
    }
}
