package org.tasktube.itest.lanes;

import jakarta.ejb.EJB;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import org.tasktube.admin.OperationAct;

/** {@link LaneDesk} over HTTP. An error is a status of 500 and its message. */
@WebServlet("/*")
public class LaneServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @EJB
    private transient LaneDesk desk;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain");
        String answer;
        try {
            answer = answer(request);
        } catch (Exception e) {
            response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            answer = e.toString();
        }
        response.getWriter().print(answer);
    }

    private String answer(HttpServletRequest request) throws Exception {
        if (request.getPathInfo().equals("/create")) {
            return desk.create();
        }
        Lane lane = Lane.valueOf(request.getParameter("lane"));
        return switch (request.getPathInfo()) {
            case "/put" ->
                desk.put(
                        lane,
                        request.getParameter("sub"),
                        Long.parseLong(request.getParameter("from")),
                        Integer.parseInt(request.getParameter("count")));
            case "/take" -> desk.take(lane);
            case "/result" -> desk.result(lane, Long.parseLong(request.getParameter("task")));
            case "/ack" ->
                desk.ackBySession(
                        lane,
                        UUID.fromString(request.getParameter("session")),
                        Long.parseLong(request.getParameter("task")));
            case "/act" -> desk.act(lane, OperationAct.valueOf(request.getParameter("act")));
            case "/pause" -> desk.pause(lane);
            case "/resume" -> desk.resume(lane);
            default -> throw new IllegalArgumentException(request.getPathInfo());
        };
    }
}
