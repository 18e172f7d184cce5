package org.tasktube.itest.crowd;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Answers with the number of beans at work; {@code /open} opens the gate. */
@WebServlet("/*")
public class CrowdServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if ("/open".equals(request.getPathInfo())) {
            Crowd.GATE.countDown();
        }
        response.getWriter().print(Crowd.INSIDE.get());
    }
}
