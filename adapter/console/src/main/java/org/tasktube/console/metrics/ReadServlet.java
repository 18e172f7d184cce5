package org.tasktube.console.metrics;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.Problem;
import org.tasktube.console.problem.ProblemWriter;

/** A servlet for machines, that reads only. */
abstract class ReadServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Override
    protected final void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        if (request.getMethod().equals("GET") || request.getMethod().equals("HEAD")) {
            answer(request, response);
        } else {
            response.setHeader("Allow", "GET, HEAD");
            String detail = "this address only answers GET and HEAD";
            ProblemWriter.write(response, Problem.of(Kind.METHOD, detail, request.getRequestURI()));
        }
    }

    /** Answers a GET or a HEAD. The server leaves out the body of the latter. */
    abstract void answer(HttpServletRequest request, HttpServletResponse response) throws IOException;

    static void write(HttpServletResponse response, byte[] body) throws IOException {
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
