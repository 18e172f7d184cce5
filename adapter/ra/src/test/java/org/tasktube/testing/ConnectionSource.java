package org.tasktube.testing;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A datasource that gives connections and has nothing to configure, so that a test can write it as a lambda. */
@FunctionalInterface
public interface ConnectionSource extends DataSource {

    @Override
    default Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    default PrintWriter getLogWriter() {
        return null;
    }

    @Override
    default void setLogWriter(PrintWriter out) {}

    @Override
    default void setLoginTimeout(int seconds) {}

    @Override
    default int getLoginTimeout() {
        return 0;
    }

    @Override
    default Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    default <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    default boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
