package org.tasktube.console.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.console.live.LiveEvents;

/** The sessions of browsers on this server. */
@ApplicationScoped
public class Logins {

    /** The most logins of a user. Without a bound, one user could take all sessions of the server. */
    static final int MOST_PER_USER = 20;

    private static final String ATTRIBUTE = Login.class.getName();

    private final Map<String, Login> logins = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();

    @Inject
    private LiveEvents live;

    /** Ends the oldest logins of a user who has as many as there can be. */
    void makeRoom(String user) {
        all().stream()
                .filter(login -> login.user().equals(user))
                .skip(MOST_PER_USER - 1)
                .forEach(login -> live.endOther(login.session()));
    }

    /** Notes the login of a session. */
    void begin(HttpSession session, String user, String address) {
        String id = String.format("%016x", random.nextLong());
        session.setAttribute(ATTRIBUTE, new Login(id, user, address, Instant.now(), session, this));
    }

    /**
     * Logs out the browser of a request, with its streams of events. Without a login it does nothing. Returns false if
     * another request of the same moment has ended the session.
     */
    public boolean end(HttpServletRequest request) throws ServletException {
        HttpSession session = request.getSession(false);
        try {
            request.logout();
        } catch (IllegalStateException e) {
            return false;
        }
        if (session != null) {
            live.end(session);
        }
        return true;
    }

    /** Ends a session whose user has lost the login, with its streams of events. */
    static void end(HttpSession session) {
        if (session.getAttribute(ATTRIBUTE) instanceof Login login) {
            login.logins().live.end(session);
        } else {
            session.invalidate();
        }
    }

    void add(Login login) {
        logins.put(login.id(), login);
    }

    void remove(Login login) {
        logins.remove(login.id());
    }

    /** Returns all, the newest first. */
    public List<Login> all() {
        return logins.values().stream()
                .sorted(Comparator.comparing(Login::since).reversed())
                .toList();
    }

    /** Returns the login with that id; empty if it has ended. */
    public Optional<Login> find(String id) {
        return Optional.ofNullable(logins.get(id));
    }
}
