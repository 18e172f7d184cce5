package org.tasktube.console.problem;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Writes a problem where no resource answers. */
public final class ProblemWriter {

    private ProblemWriter() {}

    /** Logs a failure that no resource has answered, and writes a problem without its reason. */
    public static void writeFault(String method, String path, HttpServletResponse response, Throwable thrown)
            throws IOException {
        Log.LOG.failed(method, path, thrown);
        write(response, ProblemTable.of(thrown, path));
    }

    /** Logs a failure in the middle of an answer, for which no problem can be written any more. */
    public static void logCut(String method, String path, Throwable thrown) {
        Log.LOG.cut(method, path, thrown);
    }

    public static void write(HttpServletResponse response, Problem problem) throws IOException {
        byte[] body = problem.json().getBytes(UTF_8);
        response.setStatus(problem.kind().status());
        response.setContentType(Problem.TYPE);
        response.setCharacterEncoding(UTF_8.name());
        response.setHeader("Cache-Control", "no-store");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
