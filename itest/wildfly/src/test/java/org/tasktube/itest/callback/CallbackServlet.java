package org.tasktube.itest.callback;

import jakarta.annotation.Resource;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** An application that listens to a tube and is undeployed without saying so. */
@WebServlet("/*")
public class CallbackServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Resource(lookup = "java:/TaskTube")
    private transient TubeConnectionFactory tubes;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try (TubeConnection connection = tubes.getConnection()) {
            // Its class is loaded there for the first time, when the application is undeployed
            connection.tube(request.getParameter("tube")).onTaskChange(change -> LateClass.hear(change));
        }
        response.getWriter().print("listens");
    }
}
