package org.tasktube.console.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import java.util.Optional;

/** A request of a browser with a login. The server itself knows no user for it. */
final class PresentUser extends HttpServletRequestWrapper {

    private static final String OF_REQUEST = PresentUser.class.getName();

    private final Login login;

    private PresentUser(HttpServletRequest request, Login login) {
        super(request);
        this.login = login;
    }

    /** Returns a request with the user of a login, for all who ask by {@link #of}. */
    static HttpServletRequest of(HttpServletRequest request, Login login) {
        PresentUser present = new PresentUser(request, login);
        request.setAttribute(OF_REQUEST, present);
        return present;
    }

    /** Returns the request with the user of its login, if it has one; else the request itself. */
    static HttpServletRequest of(HttpServletRequest request) {
        return request.getAttribute(OF_REQUEST) instanceof PresentUser present ? present : request;
    }

    /** Returns the login of a request; empty if its user came by a password or a token. */
    static Optional<Login> login(HttpServletRequest request) {
        return request.getAttribute(OF_REQUEST) instanceof PresentUser present
                ? Optional.of(present.login)
                : Optional.empty();
    }

    @Override
    public Principal getUserPrincipal() {
        return login::user;
    }

    @Override
    public String getRemoteUser() {
        return login.user();
    }

    @Override
    public boolean isUserInRole(String role) {
        return login.roles().contains(role);
    }
}
