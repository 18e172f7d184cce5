package org.tasktube.console.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.time.Duration;

/** The lifetime of sessions: short before the login, so that requests without a user do not fill the memory. */
final class LoginSession {

    private static final int BEFORE_LOGIN = (int) Duration.ofMinutes(10).toSeconds();

    private LoginSession() {}

    /** Shortens the session in which the login remembers the page that was asked for. */
    static void begin(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session != null && request.getUserPrincipal() == null) {
            session.setMaxInactiveInterval(BEFORE_LOGIN);
        }
    }

    /** Gives the session of a user the lifetime of web.xml. */
    static void extend(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session != null && session.getMaxInactiveInterval() == BEFORE_LOGIN) {
            session.setMaxInactiveInterval(
                    (int) Duration.ofMinutes(request.getServletContext().getSessionTimeout())
                            .toSeconds());
        }
    }
}
