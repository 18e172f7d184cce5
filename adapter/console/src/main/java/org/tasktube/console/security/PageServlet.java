package org.tasktube.console.security;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Answers each path of a page with the one shell, which shows the page of the path. */
@WebServlet({
    "/overview",
    "/tasks",
    "/tasks/*",
    "/tubes",
    "/tubes/*",
    "/failures",
    "/failures/*",
    "/schedules",
    "/schedules/*",
    "/servers",
    "/servers/*",
    "/operations",
    "/operations/*",
    "/audit",
    "/help"
})
public class PageServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.getRequestDispatcher("/index.html").forward(request, response);
    }
}
