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
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jboss.logging.Logger;
import org.tasktube.TaskTubeException;
import org.tasktube.admin.UserLogin;
import org.tasktube.console.live.LiveEvents;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

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
    private static final Pattern SECRET =
            Pattern.compile("(?:^|[;\\s])" + COOKIE + "=\"?([A-Za-z0-9_-]{43})\"?(?=\\s*(?:;|$))");
    private static final int MOST_COOKIES = 4;

    /** The most cookies of no known login that are looked for at once: anyone can make some up. */
    private static final int MOST_LOOKS = 4;

    /** The longest wait for that. In this time, a thousand are looked for. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Map<String, Login> known = new ConcurrentHashMap<>();

    /** Logins that have ended here, and whose rows the database could not remove. */
    private final Set<String> toEnd = ConcurrentHashMap.newKeySet();

    private final SecureRandom random = new SecureRandom();
    private final Semaphore looks = new Semaphore(MOST_LOOKS, true);

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
        if (PresentUser.login(request).isPresent()) {
            return PresentUser.of(request);
        }
        return keys(request).stream()
                .flatMap(key -> find(key).stream())
                .findFirst()
                .map(login -> PresentUser.of(request, login))
                .orElse(request);
    }

    /**
     * Returns the keys of all cookies of the name, of which a request can have several: an application at another port
     * of the host can set some. The server's own parameters have one of them only.
     */
    private static List<String> keys(HttpServletRequest request) {
        return Collections.list(request.getHeaders("Cookie")).stream()
                .flatMap(header -> SECRET.matcher(header).results())
                .map(found -> hash(found.group(1)))
                .distinct()
                .limit(MOST_COOKIES)
                .toList();
    }

    private Optional<Login> find(String key) {
        Login login = known.get(key);
        if (login != null) {
            return login.isOld() ? again(login) : Optional.of(login);
        }
        try {
            if (!looks.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        try {
            // Another request of the same browser may have found it meanwhile
            return Optional.ofNullable(known.get(key)).or(() -> first(key));
        } finally {
            looks.release();
        }
    }

    /** Returns a login that another server has begun, or this one before its start. */
    private Optional<Login> first(String key) {
        try {
            endLater();
            return rows.use(key)
                    .flatMap(row -> present(row.user()).map(roles -> Login.of(row, roles)))
                    .map(login -> {
                        known.put(key, login);
                        return login;
                    });
        } catch (TaskTubeException e) {
            LOG.debugf(e, "A login could not be read");
            return Optional.empty();
        }
    }

    /** Removes the rows of logins that have ended while the database was away. */
    private void endLater() {
        for (String key : List.copyOf(toEnd)) {
            rows.end(key);
            toEnd.remove(key);
        }
    }

    /** Returns a login with what is so by now; empty if it has ended. */
    private Optional<Login> again(Login login) {
        Optional<Set<String>> roles = present(login.user());
        boolean isKept = login.isKept();
        boolean isThere = true;
        try {
            endLater();
            if (isKept) {
                isThere = rows.use(login.key()).isPresent();
            } else {
                rows.add(login.key(), login.user(), login.address());
                isKept = true;
            }
        } catch (TaskTubeException e) {
            LOG.debugf(e, "A login could not be read, and holds on this server until it can");
        }
        if (roles.isEmpty() || login.isOver() || !isThere) {
            end(login.key());
            return Optional.empty();
        }
        Login now = login.with(roles.get(), isKept);
        // A logout of the same moment counts
        return known.replace(login.key(), login, now) || known.containsKey(login.key())
                ? Optional.of(now)
                : Optional.empty();
    }

    /** Returns the roles of a user who may use the console. */
    private static Optional<Set<String>> present(String user) {
        return Realm.roles(user).filter(roles -> Right.of(roles::contains).isPresent());
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
        known.put(key, Login.begin(key, user, address, roles, add(key, user, address)));
        endFurther(user);
        response.addCookie(cookie(request, secret));
    }

    private boolean add(String key, String user, String address) {
        try {
            rows.add(key, user, address);
            return true;
        } catch (TaskTubeException e) {
            LOG.debugf(e, "The login of %s holds on this server alone, until the database is back", user);
            return false;
        }
    }

    /** Ends the oldest logins of a user that this server knows, if they are too many; also while the database is away. */
    private void endFurther(String user) {
        long now = System.nanoTime();
        known.values().stream()
                .filter(login -> login.user().equals(user))
                .sorted(Comparator.comparingLong(login -> now - login.begunAt()))
                .skip(UserLogin.MOST_PER_USER)
                .map(Login::key)
                .forEach(this::end);
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

    /**
     * Ends the login of the browser of a request, with its streams of events. Without a login it does nothing.
     *
     * @return false if the row of a login could not be removed, because the database is away
     */
    public boolean end(HttpServletRequest request) {
        return keys(request).stream()
                .filter(key -> known.containsKey(key) || find(key).isPresent())
                .map(this::end)
                .reduce(true, Boolean::logicalAnd);
    }

    /** Has a browser forget its login. An answer that begins another one must not: it would have both. */
    public static void removeCookie(HttpServletRequest request, HttpServletResponse response) {
        response.addCookie(cookie(request, ""));
    }

    /**
     * Ends a login, with its streams of events on this server. If the database is away, its row is removed when it is
     * back, unless this server ends before.
     *
     * @return false if the row could not be removed now
     */
    public boolean end(String key) {
        boolean isDone = true;
        try {
            rows.end(key);
        } catch (TaskTubeException e) {
            LOG.debugf(e, "The row of a login could not be removed; it is when the database is back");
            toEnd.add(key);
            isDone = false;
        }
        forget(key);
        return isDone;
    }

    /** Returns the problem of a login that has ended on this server only. */
    public static ProblemException notEverywhere() {
        return new ProblemException(
                Kind.DATABASE,
                "the login has ended on this server; on the others it ends when this server has the database back, and"
                        + " not if this server stops before. End it once more then");
    }

    private void forget(String key) {
        known.remove(key);
        live.end(key);
    }

    /** Returns the login of a request; empty if its user came by a password or a token. */
    public Optional<String> of(HttpServletRequest request) {
        return PresentUser.login(request).map(Login::key);
    }

    /** Returns whether a login has ended. Once per minute, this reads it again. */
    public boolean hasEnded(String key) {
        return find(key).isEmpty();
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
