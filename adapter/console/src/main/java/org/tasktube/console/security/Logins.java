package org.tasktube.console.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.tasktube.TaskTubeException;
import org.tasktube.admin.UserLogin;
import org.tasktube.console.live.LiveEvents;

/**
 * The logins of browsers. A cookie has a secret, and the database the row of its hash, so that a login holds on each
 * server and after a restart, and ends on all. This server keeps what it has read for a minute. While the database is
 * away, it goes by that.
 */
@ApplicationScoped
public class Logins {

    /** The most logins that this server keeps. */
    static final int MOST = 1_000;

    static final String COOKIE = "TASKTUBE_LOGIN";

    /** The length of the id by which administrators name a login. It is a part of the key, and gives no access. */
    public static final int ID_LENGTH = 16;

    private static final Logger LOG = Logger.getLogger("org.tasktube.console");

    private static final int SECRET_BYTES = 32;
    private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9_-]{43}");

    /** The most cookies of no known login that are looked for at once: without a bound, anyone could have them all be. */
    private static final int MOST_LOOKS = 4;

    private final Map<String, Login> known = new ConcurrentHashMap<>();

    /** Logins that have ended here, and whose rows the database could not remove. */
    private final Set<String> toEnd = ConcurrentHashMap.newKeySet();

    private final SecureRandom random = new SecureRandom();
    private final Semaphore looks = new Semaphore(MOST_LOOKS);

    @Inject
    private LoginRows rows;

    @Inject
    private LiveEvents live;

    /** Returns a request with its user. One with a password or a token has that already. */
    HttpServletRequest withUser(HttpServletRequest request) {
        if (request.getUserPrincipal() != null
                || FailedLogin.name(request.getHeader("Authorization")).isPresent()) {
            return request;
        }
        return PresentUser.login(request).isPresent()
                ? PresentUser.of(request)
                : key(request)
                        .flatMap(this::find)
                        .map(login -> PresentUser.of(request, login))
                        .orElse(request);
    }

    private static Optional<String> key(HttpServletRequest request) {
        try {
            return Optional.ofNullable(request.getCookies()).flatMap(cookies -> Arrays.stream(cookies)
                    .filter(cookie -> cookie.getName().equals(COOKIE))
                    .map(Cookie::getValue)
                    .filter(value -> SECRET.matcher(value).matches())
                    .findFirst()
                    .map(Logins::hash));
        } catch (IllegalArgumentException e) {
            // The server cannot read the cookies
            return Optional.empty();
        }
    }

    private Optional<Login> find(String key) {
        Login login = known.get(key);
        if (login != null && !login.isOld()) {
            return Optional.of(login);
        }
        if (login != null) {
            return again(login);
        }
        if (!looks.tryAcquire()) {
            return Optional.empty();
        }
        try {
            return first(key);
        } finally {
            looks.release();
        }
    }

    /** Returns a login that another server has begun, or this one before its start. */
    private Optional<Login> first(String key) {
        try {
            if (toEnd.contains(key)) {
                rows.end(key);
                toEnd.remove(key);
                return Optional.empty();
            }
            return rows.use(key).flatMap(row -> present(row.user())
                    .map(roles -> keep(Login.begin(key, row.user(), row.address(), roles, true))));
        } catch (TaskTubeException e) {
            LOG.debugf(e, "A login could not be read");
            return Optional.empty();
        }
    }

    /** Returns a login with what is so by now; empty if it has ended. */
    private Optional<Login> again(Login login) {
        Optional<Set<String>> roles = present(login.user());
        if (roles.isEmpty() || login.isOver() || !isThere(login)) {
            end(login.key());
            return Optional.empty();
        }
        return Optional.of(keep(login.with(roles.get(), true)));
    }

    private boolean isThere(Login login) {
        try {
            if (login.isKept()) {
                return rows.use(login.key()).isPresent();
            }
            rows.add(login.key(), login.user(), login.address());
            return true;
        } catch (TaskTubeException e) {
            LOG.debugf(e, "A login could not be read, and holds on this server until it can");
            return true;
        }
    }

    /** Returns the roles of a user who may use the console. */
    private static Optional<Set<String>> present(String user) {
        return Realm.roles(user).filter(roles -> Right.of(roles::contains).isPresent());
    }

    private Login keep(Login login) {
        known.put(login.key(), login);
        return login;
    }

    /** Returns whether this server can keep one more login. */
    boolean hasRoom() {
        if (known.size() >= MOST) {
            known.values().removeIf(Login::isOver);
        }
        return known.size() < MOST;
    }

    /** Begins a login. It holds on this server alone if the database is away. */
    void begin(HttpServletRequest request, HttpServletResponse response, String user, Set<String> roles) {
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        String key = hash(secret);
        String address = request.getRemoteAddr();
        keep(Login.begin(key, user, address, roles, add(key, user, address)));
        response.addCookie(cookie(request, secret));
    }

    private boolean add(String key, String user, String address) {
        try {
            rows.add(key, user, address);
            endFurther(user);
            return true;
        } catch (TaskTubeException e) {
            LOG.debugf(e, "The login of %s holds on this server alone, until the database is back", user);
            return false;
        }
    }

    /** Ends the logins on this server that a further one of the user has ended in the database. */
    private void endFurther(String user) {
        List<Login> own = known.values().stream()
                .filter(login -> login.isKept() && login.user().equals(user))
                .toList();
        if (own.size() >= UserLogin.MOST_PER_USER) {
            Set<String> left = rows.all().stream().map(UserLogin::key).collect(Collectors.toSet());
            own.stream().map(Login::key).filter(key -> !left.contains(key)).forEach(this::forget);
        }
    }

    /** A cookie that lives as long as the browser; without a secret it ends. */
    private static Cookie cookie(HttpServletRequest request, String secret) {
        Cookie cookie = new Cookie(COOKIE, secret);
        cookie.setPath(request.getContextPath());
        cookie.setHttpOnly(true);
        cookie.setSecure(request.isSecure());
        cookie.setAttribute("SameSite", "Strict");
        if (secret.isEmpty()) {
            cookie.setMaxAge(0);
        }
        return cookie;
    }

    /** Logs out the browser of a request, with its streams of events. Without a login it does nothing. */
    public void end(HttpServletRequest request, HttpServletResponse response) {
        key(request).ifPresent(key -> {
            response.addCookie(cookie(request, ""));
            end(key);
        });
    }

    /** Ends a login, with its streams of events on this server. If the database is away, its row ends later. */
    public void end(String key) {
        try {
            rows.end(key);
        } catch (TaskTubeException e) {
            LOG.debugf(e, "The row of a login could not be removed; it is when somebody asks for it");
            if (known.containsKey(key)) {
                toEnd.add(key);
            }
        }
        forget(key);
    }

    private void forget(String key) {
        known.remove(key);
        live.end(key);
    }

    /** Returns the login of a request; empty if its user came by a password or a token. */
    public Optional<String> of(HttpServletRequest request) {
        return PresentUser.login(request).map(Login::key);
    }

    /** Returns whether a login has ended that this server knew. */
    public boolean hasEnded(String key) {
        return !known.containsKey(key);
    }

    /** Returns all logins on all servers, the newest first. */
    public List<UserLogin> all() {
        return rows.all();
    }

    private static String hash(String secret) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }
}
