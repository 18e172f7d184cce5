package org.tasktube.testing;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A datasource as a server has it. Its database can be away: it gives no connection then. Nor does it to a thread that
 * is interrupted, as WildFly's pool, which waits for a permit first.
 */
public final class Outage {

    private final DataSource real;
    private volatile boolean away;
    private volatile Runnable beforeConnect = () -> {};

    public Outage(DataSource real) {
        this.real = real;
    }

    public DataSource source() {
        return (ConnectionSource) this::connect;
    }

    /** Sets what each thread does that asks for a connection, before it gets one. */
    public void beforeConnect(Runnable work) {
        beforeConnect = work;
    }

    private Connection connect() throws SQLException {
        beforeConnect.run();
        if (away) {
            throw new SQLException("the connection was refused", "08001");
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new SQLException("interrupted while a connection was asked for");
        }
        return breakable(real.getConnection());
    }

    /** What was connected before fails as well, but for its end. */
    private Connection breakable(Connection connection) {
        return Proxies.of(Connection.class, (method, arguments) -> {
            if (away && method.getName().equals("isValid")) {
                return false;
            }
            if (away && !method.getName().equals("close")) {
                throw new SQLException("the connection was lost", "08006");
            }
            return Proxies.call(connection, method, arguments);
        });
    }

    public void begin(boolean now) {
        away = now;
    }
}
