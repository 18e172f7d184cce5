package org.tasktube.console.security;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpSession;
import java.security.Principal;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.wildfly.security.auth.server.RealmUnavailableException;
import org.wildfly.security.auth.server.SecurityDomain;
import org.wildfly.security.auth.server.SecurityIdentity;
import org.wildfly.security.auth.server.ServerAuthenticationContext;
import org.wildfly.security.evidence.PasswordGuessEvidence;

/**
 * A request of a session, with the roles that its user has by now. The server keeps those of the login for as long as
 * the session, also if an administrator has taken them away since. They are asked for again when they are a minute old.
 * A user that has been removed or has no role, or whose session is half a day old, has no login any more.
 */
final class PresentUser extends HttpServletRequestWrapper {

    /** The age of roles, in milliseconds, at which they are asked for again; tests set less than a minute. */
    private static final String ASK_AGAIN = "tasktube.console.ask-roles-again";

    private static final Duration LONGEST_SESSION = Duration.ofHours(12);

    /** The category of roles that WildFly has for {@code isUserInRole}. */
    private static final String OF_SERVLETS = "web";

    private static final String OF_REQUEST = PresentUser.class.getName();
    private static final String OF_SESSION = Known.class.getName();

    private final Optional<Known> known;

    private PresentUser(HttpServletRequest request, Optional<Known> known) {
        super(request);
        this.known = known;
    }

    /**
     * @param user the name of the user: another one may log in within the same session
     * @param roles the roles of the user
     * @param askedAt the time of the answer, of the monotonic clock
     * @param since the time of the first answer in the session
     */
    private record Known(String user, Set<String> roles, long askedAt, long since) {

        /** Returns whether the user still has a login. After wrong passwords, the server has the user without roles. */
        boolean mayStay() {
            return System.nanoTime() - since <= LONGEST_SESSION.toNanos()
                    && Right.of(roles::contains).isPresent();
        }

        boolean isOld() {
            return System.nanoTime() - askedAt
                    > Duration.ofMillis(Long.getLong(ASK_AGAIN, 60_000)).toNanos();
        }
    }

    /** Returns a request with its present user. One without a session has that already. */
    static HttpServletRequest of(HttpServletRequest request) {
        if (request.getAttribute(OF_REQUEST) instanceof PresentUser present) {
            return present;
        }
        HttpSession session = request.getSession(false);
        SecurityDomain domain = SecurityDomain.getCurrent();
        if (session == null || domain == null || request.getUserPrincipal() == null) {
            return request;
        }
        String user = request.getUserPrincipal().getName();
        // The server has asked the session first, and has not looked at the password of another name
        boolean isOther = FailedLogin.name(request.getHeader("Authorization"))
                .filter(name -> !name.equals(user))
                .isPresent();
        PresentUser present = new PresentUser(request, isOther ? Optional.empty() : present(session, domain, user));
        request.setAttribute(OF_REQUEST, present);
        return present;
    }

    /** Returns the user; empty if the session is over, or has been ended by another request of the same moment. */
    private static Optional<Known> present(HttpSession session, SecurityDomain domain, String user) {
        try {
            Optional<Known> before = Optional.ofNullable((Known) session.getAttribute(OF_SESSION))
                    .filter(known -> known.user.equals(user));
            if (before.filter(known -> !known.isOld()).isPresent()) {
                return before;
            }
            Optional<Known> asked = asked(domain, user, before).filter(Known::mayStay);
            if (asked.isPresent()) {
                session.setAttribute(OF_SESSION, asked.get());
            } else {
                Logins.end(session);
            }
            return asked;
        } catch (IllegalStateException e) {
            return Optional.empty();
        }
    }

    /** Returns the present roles of a user; empty if the domain has no such user, or does not answer. */
    private static Optional<Known> asked(SecurityDomain domain, String user, Optional<Known> before) {
        try (ServerAuthenticationContext question = domain.createNewAuthenticationContext()) {
            question.setAuthenticationName(user);
            if (!question.exists() || !question.authorize()) {
                return Optional.empty();
            }
            // Elytron counts a question that does not succeed as a wrong password, and ten lock the user
            question.succeed();
            Set<String> roles = roles(question.getAuthorizedIdentity());
            long now = System.nanoTime();
            return Optional.of(
                    new Known(user, roles, now, before.map(Known::since).orElse(now)));
        } catch (RealmUnavailableException | SecurityException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the user with that password; empty if one of them is wrong. A login of the request would begin a session,
     * also for a user without a role.
     */
    static Optional<SecurityIdentity> with(String user, String password) throws ServletException {
        try {
            return Optional.of(
                    SecurityDomain.getCurrent().authenticate(user, new PasswordGuessEvidence(password.toCharArray())));
        } catch (SecurityException | IllegalArgumentException e) {
            return Optional.empty();
        } catch (RealmUnavailableException e) {
            throw new ServletException("the realm of the console's users does not answer", e);
        }
    }

    static Set<String> roles(SecurityIdentity identity) {
        Set<String> roles = new HashSet<>();
        identity.getRoles(OF_SERVLETS, true).forEach(roles::add);
        return roles;
    }

    @Override
    public Principal getUserPrincipal() {
        return known.isPresent() ? super.getUserPrincipal() : null;
    }

    @Override
    public String getRemoteUser() {
        return known.isPresent() ? super.getRemoteUser() : null;
    }

    @Override
    public boolean isUserInRole(String role) {
        return known.filter(present -> present.roles.contains(role)).isPresent();
    }
}
