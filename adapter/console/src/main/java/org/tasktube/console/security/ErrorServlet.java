package org.tasktube.console.security;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.Problem;
import org.tasktube.console.problem.ProblemWriter;

/**
 * Answers where the server itself refuses a request, or fails with it. The server's own answer has a stack trace, and
 * none of the console's headers. A person gets a page, and a script gets a problem.
 */
@WebServlet(ErrorServlet.ERROR)
public class ErrorServlet extends HttpServlet {

    static final String ERROR = "/error";

    /** Is set on a request that the server could read, before any part of the console sees it. */
    static final String READ = ErrorServlet.class.getName() + ".read";

    static final int TOO_MANY_REQUESTS = 429;

    private static final long serialVersionUID = 1;
    private static final int LONGEST_SHOWN = 200;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getDispatcherType() != DispatcherType.ERROR) {
            write(request, response, problem(HttpServletResponse.SC_NOT_FOUND, request.getRequestURI()));
            return;
        }
        Object uri = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        String asked = uri == null ? request.getRequestURI() : uri.toString();
        if (request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof Throwable thrown) {
            failed(request, response, asked, thrown);
        } else {
            int status = (int) request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
            if (status == HttpServletResponse.SC_UNAUTHORIZED) {
                // The server has checked the password before any part of the console saw the request
                FailedLogin.byPassword(request);
            }
            write(request, response, problem(status, asked));
        }
    }

    private static void failed(HttpServletRequest request, HttpServletResponse response, String asked, Throwable thrown)
            throws IOException {
        if (request.getAttribute(READ) == null) {
            write(request, response, problem(HttpServletResponse.SC_BAD_REQUEST, asked));
        } else {
            ProblemWriter.writeFault(request.getMethod(), asked, response, thrown);
        }
    }

    /** Returns the problem of a status with which the server has refused a request. */
    static Problem problem(int status, String asked) {
        return switch (status) {
            case HttpServletResponse.SC_UNAUTHORIZED -> Problem.of(Kind.LOGIN, "send a name and a password", asked);
            case HttpServletResponse.SC_FORBIDDEN ->
                Problem.of(Kind.FORBIDDEN, "the user has none of the roles of the console; ask for one", asked);
            case HttpServletResponse.SC_NOT_FOUND ->
                Problem.of(Kind.NO_RESOURCE, "correct the address, or begin with the overview", asked);
            // A servlet knows the methods of its class only, and answers all others as not implemented
            case HttpServletResponse.SC_METHOD_NOT_ALLOWED, HttpServletResponse.SC_NOT_IMPLEMENTED ->
                Problem.of(Kind.METHOD, "use a method that the address has, as docs/console.md lists them", asked);
            case HttpServletResponse.SC_REQUEST_URI_TOO_LONG ->
                Problem.of(Kind.ADDRESS, "shorten it; the console reads 32 KiB of an address", cut(asked));
            case HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE ->
                Problem.of(Kind.TOO_LARGE, "send less; the server has a bound for each request", asked);
            case TOO_MANY_REQUESTS ->
                Problem.of(Kind.TOO_MANY, "the server has as many logins as it can have; log in later", asked);
            default ->
                status >= HttpServletResponse.SC_INTERNAL_SERVER_ERROR
                        ? Problem.of(Kind.FAULT, "the log of the server has the reason", asked)
                        : Problem.of(Kind.REQUEST, "the server cannot read its headers or its address", asked);
        };
    }

    /** An answer need not repeat what is too long. */
    private static String cut(String asked) {
        return asked.substring(0, Math.min(asked.length(), LONGEST_SHOWN));
    }

    private static void write(HttpServletRequest request, HttpServletResponse response, Problem problem)
            throws IOException {
        String accept = request.getHeader("Accept");
        boolean isForPerson = accept != null
                && accept.contains("text/html")
                && !isForScripts(problem.instance(), request.getContextPath());
        if (isForPerson) {
            writePage(request.getContextPath(), response, problem);
        } else {
            ProblemWriter.write(response, problem);
        }
    }

    /** A page with status 200 would not show a script, or Prometheus, that its password is wrong. */
    static boolean isForScripts(String asked, String context) {
        return asked.startsWith(context + "/api/") || asked.equals(context + "/metrics");
    }

    /** Writes a page. It has no part of the request, which may be hostile. */
    private static void writePage(String context, HttpServletResponse response, Problem problem) throws IOException {
        String page = """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>%2$s - TaskTube</title>
                <link rel="stylesheet" href="%1$s/css/console.css">
                </head>
                <body class="login">
                <main>
                <h1>%2$s</h1>
                <p>%3$s.</p>
                <p><a href="%1$s/">Overview</a></p>
                </main>
                </body>
                </html>
                """.formatted(context, problem.kind().title(), sentence(problem.detail()));
        response.setStatus(problem.kind().status());
        response.setContentType("text/html;charset=UTF-8");
        response.setHeader("Cache-Control", "no-store");
        response.getOutputStream().write(page.getBytes(StandardCharsets.UTF_8));
    }

    private static String sentence(String detail) {
        return Character.toUpperCase(detail.charAt(0)) + detail.substring(1);
    }
}
