package org.tasktube.console.audit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.tasktube.admin.AuditAct;

/**
 * Notes requests that were refused before they reached a resource: a line for each, and a row for those of a user.
 * Their rows, and those of refused acts, are bounded per user and minute. Without a bound, a page of another site that
 * a user's browser shows could fill the table in the user's name, and so could a user without rights.
 */
@ApplicationScoped
public class RefusedRequests {

    /** The most rows per user and minute. */
    static final int MOST_ROWS = 60;

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();
    private static final String NO_RIGHT = "none";

    private final AuditRows rows;
    private final LongSupplier nanoTime;

    /** The number of refused requests per user since the begin of the minute. */
    private final Map<String, Integer> numbers = new HashMap<>();

    private long begin;

    /** Is for the proxy of CDI only. */
    RefusedRequests() {
        this(null);
    }

    @Inject
    RefusedRequests(AuditRows rows) {
        this(rows, System::nanoTime);
    }

    RefusedRequests(AuditRows rows, LongSupplier nanoTime) {
        this.rows = rows;
        this.nanoTime = nanoTime;
        this.begin = nanoTime.getAsLong();
    }

    /**
     * Notes a request.
     *
     * @param user the name of the user; empty without a login
     */
    public void add(String user, HttpServletRequest request, int status) {
        AuditLog.refused(user, request.getMethod(), request.getRequestURI(), status);
        if (!user.isEmpty()) {
            add(act(user, request, status));
        }
    }

    /** Adds the row of an act that was refused, for which there is a line already. */
    public void add(AuditAct act) {
        int number = count(act.who());
        if (number <= MOST_ROWS) {
            rows.add(act);
        } else if (number == MOST_ROWS + 1) {
            Log.LOG.rowsLeftOut(AuditLog.quoted(act.who()), MOST_ROWS);
        }
    }

    /** Returns the address in the console, decoded by the server: a URI has many forms of one address. */
    private static String address(HttpServletRequest request) {
        return request.getServletPath() + Objects.requireNonNullElse(request.getPathInfo(), "");
    }

    private synchronized int count(String user) {
        if (nanoTime.getAsLong() - begin >= MINUTE) {
            begin = nanoTime.getAsLong();
            numbers.clear();
        }
        return numbers.merge(user, 1, Integer::sum);
    }

    /** No resource has read the request, so that its act is its method and its address. */
    private static AuditAct act(String user, HttpServletRequest request, int status) {
        return new AuditAct(
                Audit.kept(user, AuditAct.MAX_NAME),
                NO_RIGHT,
                Audit.kept(request.getMethod() + " " + address(request), AuditAct.MAX_ACT),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                status,
                Optional.ofNullable(request.getRemoteAddr()).map(text -> Audit.kept(text, AuditAct.MAX_ACT)));
    }
}
