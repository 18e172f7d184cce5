package org.tasktube.itest.orders;

import jakarta.ejb.EJB;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Takes the order of a number, in the path. */
@WebServlet("/*")
public class OrdersServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @EJB
    private transient Desk desk;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter()
                .print(desk.order(Long.parseLong(request.getPathInfo().substring(1))));
    }
}
