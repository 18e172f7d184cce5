package org.tasktube.console.security;

import jakarta.servlet.ServletException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.wildfly.security.auth.server.RealmUnavailableException;
import org.wildfly.security.auth.server.SecurityDomain;
import org.wildfly.security.auth.server.SecurityIdentity;
import org.wildfly.security.auth.server.ServerAuthenticationContext;
import org.wildfly.security.evidence.PasswordGuessEvidence;

/** The users of the console, as the server's security domain has them. */
final class Realm {

    /** The category of roles that WildFly has for {@code isUserInRole}. */
    private static final String OF_SERVLETS = "web";

    private Realm() {}

    /** Returns the present roles of a user; empty if the domain has no such user, or does not answer. */
    static Optional<Set<String>> roles(String user) {
        SecurityDomain domain = SecurityDomain.getCurrent();
        if (domain == null) {
            return Optional.empty();
        }
        try (ServerAuthenticationContext question = domain.createNewAuthenticationContext()) {
            question.setAuthenticationName(user);
            if (!question.exists() || !question.authorize()) {
                return Optional.empty();
            }
            // Elytron counts a question that does not succeed as a wrong password, and ten lock the user. One that does
            // makes it forget the wrong passwords of others, which WrongPasswords counts for that reason
            question.succeed();
            return Optional.of(roles(question.getAuthorizedIdentity()));
        } catch (RealmUnavailableException | SecurityException e) {
            return Optional.empty();
        }
    }

    /** Returns the user with that password; empty if one of them is wrong. */
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
}
