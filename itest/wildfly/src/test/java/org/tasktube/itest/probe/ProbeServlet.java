package org.tasktube.itest.probe;

import jakarta.ejb.EJB;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@link Probe} over HTTP: {@code /probe/OPERATION?run=…&count=…}; an error is a status of 500 and its message. */
@WebServlet("/*")
public class ProbeServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @EJB
    private transient Probe probe;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain");
        try {
            response.getWriter().print(answer(request));
        } catch (RuntimeException e) {
            response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            response.getWriter().print(e);
        }
    }

    private Object answer(HttpServletRequest request) {
        String run = request.getParameter("run");
        return switch (request.getPathInfo()) {
            case "/state" -> probe.state();
            case "/put" -> probe.put(run, Integer.parseInt(request.getParameter("count")));
            case "/done" -> probe.done(run);
            case "/last" -> probe.last(run);
            case "/total" -> probe.total();
            case "/fill" -> probe.fill(request.getParameter("tube"));
            case "/drop" -> probe.drop(request.getParameter("tube"));
            case "/statistics" -> probe.statistics();
            case "/lateness" -> probe.lateness(Integer.parseInt(request.getParameter("count")));
            default -> throw new IllegalArgumentException(request.getPathInfo());
        };
    }
}
