package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.tasktube.admin.UserLogin;

/**
 * The logins of users at consoles: a row per login. Each statement has a limit of time. If the store fails, a method throws
 * {@link org.tasktube.StoreException}.
 */
public record Logins(Jdbc jdbc, Dialect dialect) {

    private static final int MAX_NAME = 255;
    private static final int MAX_ADDRESS = 100;

    private static final Parameters LIMITS = Parameters.of(
            "longest", UserLogin.LONGEST.toMillis(),
            "idle", UserLogin.LONGEST_IDLE.toMillis(),
            "most", UserLogin.MOST_PER_USER);

    /** Adds a login, and removes those that are over, and the oldest of the user's that are too many. */
    public void add(String key, String user, String address, String server) {
        Parameters login = Parameters.of(
                        "key", key, "who", cut(user, MAX_NAME), "address", cut(address, MAX_ADDRESS), "server", server)
                .and(LIMITS);
        jdbc.atomic("add a login", connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            on.update(sql("remove_old_logins"), login);
            on.update(sql("add_login"), login);
            return on.update(sql("remove_further_logins"), login);
        });
    }

    private static String cut(String text, int max) {
        return text.substring(0, Math.min(text.length(), max));
    }

    /** Returns a login that is not over, and notes that the server uses it now. */
    public Optional<UserLogin> use(String key, String server) {
        Parameters login = Parameters.of("key", key, "server", server).and(LIMITS);
        return jdbc.atomic("use a login", connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            return on.update(sql("use_login"), login) == 0
                    ? Optional.empty()
                    : on.first(sql("login"), Logins::login, login);
        });
    }

    /** Removes a login. Returns false if there is none. */
    public boolean end(String key) {
        return jdbc.single("end a login", on -> on.within(Scans.SECONDS)
                        .update(sql("end_login"), Parameters.of("key", key)))
                > 0;
    }

    /** Returns all logins that are not over, the newest first. */
    public List<UserLogin> all() {
        return jdbc.reading("read the logins", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .list(sql("logins"), Logins::login, LIMITS));
    }

    private static UserLogin login(ResultSet row) throws SQLException {
        return new UserLogin(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                Rows.instant(row, 5),
                Rows.instant(row, 6));
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
