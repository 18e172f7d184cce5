package org.tasktube.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.tasktube.admin.UserLogin;
import org.tasktube.store.Logins;

/** The table {@code tasktube_login}. Each statement has a limit of time. */
record SqlLogins(Jdbc jdbc, Dialect dialect) implements Logins {

    private static final int MAX_NAME = 255;
    private static final int MAX_ADDRESS = 100;

    private static final Parameters LIMITS = Parameters.of(
            "longest", UserLogin.LONGEST.toMillis(),
            "idle", UserLogin.LONGEST_IDLE.toMillis(),
            "most", UserLogin.MOST_PER_USER);

    @Override
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

    @Override
    public Optional<UserLogin> use(String key, String server) {
        Parameters login = Parameters.of("key", key, "server", server).and(LIMITS);
        return jdbc.atomic("use a login", connection -> {
            SqlConnection on = connection.within(Scans.SECONDS);
            return on.update(sql("use_login"), login) == 0
                    ? Optional.empty()
                    : on.first(sql("login"), SqlLogins::login, login);
        });
    }

    @Override
    public boolean end(String key) {
        return jdbc.single("end a login", on -> on.within(Scans.SECONDS)
                        .update(sql("end_login"), Parameters.of("key", key)))
                > 0;
    }

    @Override
    public List<UserLogin> all() {
        return jdbc.reading("read the logins", dialect::beginReading, on -> on.within(Scans.SECONDS)
                .list(sql("logins"), SqlLogins::login, LIMITS));
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
