package org.tasktube.console.problem;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Writes a problem where no resource answers. */
public final class ProblemWriter {

    private ProblemWriter() {}

    public static void write(HttpServletResponse response, Problem problem) throws IOException {
        byte[] body = problem.json().getBytes(UTF_8);
        response.setStatus(problem.kind().status());
        response.setContentType(Problem.TYPE);
        response.setHeader("Cache-Control", "no-store");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
