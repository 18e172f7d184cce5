package org.tasktube.itest.traced;

import jakarta.annotation.Resource;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.tasktube.Task;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** Puts the first task and takes the second; {@code /spans} answers with the spans of the application. */
@WebServlet("/*")
public class TracedServlet extends HttpServlet {

    static final String FIRST = "traced-first";
    static final String SECOND = "traced-second";

    private static final long serialVersionUID = 1;

    @Resource(lookup = "java:/TaskTube")
    private transient TubeConnectionFactory factory;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter()
                .print("/spans".equals(request.getPathInfo()) ? String.join("\n", KeptSpans.LINES) : second());
    }

    /** Returns the header and the text of the task that the bean puts. */
    private String second() {
        try (TubeConnection connection = factory.getConnection()) {
            connection.createTubeIfNotExists(TubeDefinition.of(FIRST, TubeDefinition.FIFO));
            connection.createTubeIfNotExists(TubeDefinition.of(SECOND, TubeDefinition.FIFO));
            connection.tube(FIRST).put("x");
            Task task = connection.tube(SECOND).take(Duration.ofSeconds(20)).orElseThrow();
            connection.tube(SECOND).ack(task);
            return task.headers().getOrDefault("traceparent", "none") + "," + task.text();
        }
    }
}
