package org.tasktube.itest.rude;

import jakarta.annotation.Resource;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tasktube.PutOptions;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** Gives each bean a task, the one that times out only if asked for, and answers when all have begun. */
@WebServlet("/*")
public class RudeServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    private static final int PATIENCE = 30;

    @Resource(lookup = "java:/TaskTube")
    private transient TubeConnectionFactory tubes;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain");
        response.getWriter().print(work("/with-timeout".equals(request.getPathInfo())));
    }

    private String work(boolean withTimeout) {
        int tasks = 3;
        try (TubeConnection connection = tubes.getConnection()) {
            for (String name : List.of(Rude.ERRORS, Rude.INTERRUPTS, Rude.LEAKS)) {
                put(connection, name);
            }
            if (withTimeout) {
                put(connection, Rude.TIMEOUTS);
                tasks++;
            }
            return Rude.BEGUN.tryAcquire(tasks, PATIENCE, TimeUnit.SECONDS) ? "begun" : "not begun in time";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static void put(TubeConnection connection, String name) {
        Tube tube = connection.createTubeIfNotExists(TubeDefinition.fifottl(name));
        tube.put(new RudeOrder(1, "who does not pay"), PutOptions.defaults());
    }
}
