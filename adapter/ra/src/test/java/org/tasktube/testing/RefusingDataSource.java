package org.tasktube.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/** A real database that refuses some statements, as if each had waited for a lock for too long. */
public final class RefusingDataSource implements ConnectionSource {

    private final DataSource real;
    private final AtomicReference<String> refuses = new AtomicReference<>();
    private final AtomicInteger refused = new AtomicInteger();

    public RefusingDataSource(DataSource real) {
        this.real = real;
    }

    /** Refuses each statement with these words from now on; null for none. */
    public void refuse(String words) {
        refuses.set(words);
    }

    /** Returns how many statements were refused. */
    public int refused() {
        return refused.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = real.getConnection();
        return Proxies.of(Connection.class, (method, arguments) -> {
            String words = refuses.get();
            if (words != null
                    && method.getName().equals("prepareStatement")
                    && HookedDataSource.withoutSchema((String) arguments[0]).contains(words)) {
                refused.incrementAndGet();
                throw new SQLException("canceling statement due to lock timeout", "55P03");
            }
            return Proxies.call(connection, method, arguments);
        });
    }
}
