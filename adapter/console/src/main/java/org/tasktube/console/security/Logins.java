package org.tasktube.console.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.servlet.http.HttpSession;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions of browsers on this server. */
@ApplicationScoped
public class Logins {

    private static final String ATTRIBUTE = Login.class.getName();

    private final Map<String, Login> logins = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();

    /** Notes the login of a session, in place of an earlier one. */
    void begin(HttpSession session, String user, String address) {
        String id = String.format("%016x", random.nextLong());
        session.setAttribute(ATTRIBUTE, new Login(id, user, address, Instant.now(), session, this));
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
