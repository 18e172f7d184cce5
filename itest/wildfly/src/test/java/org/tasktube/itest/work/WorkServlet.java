package org.tasktube.itest.work;

import jakarta.ejb.EJB;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code /work/open} opens the gate, and {@code /work/put?tube=…&tasks=…} puts small tasks. */
@WebServlet("/*")
public class WorkServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @EJB
    private transient Gate gate;

    @EJB
    private transient WorkTube tubes;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        switch (request.getPathInfo()) {
            case "/open" -> gate.open();
            case "/put" -> tubes.put(request.getParameter("tube"), Integer.parseInt(request.getParameter("tasks")));
            default -> throw new IllegalArgumentException(request.getPathInfo());
        }
        response.setContentType("text/plain");
        response.getWriter().print("done");
    }
}
