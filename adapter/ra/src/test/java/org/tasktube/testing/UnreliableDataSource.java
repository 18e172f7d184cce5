package org.tasktube.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/**
 * A real database behind a line that can be cut at a chosen moment: the database has done what it was asked to, and
 * the answer never arrives.
 */
public final class UnreliableDataSource implements ConnectionSource {

    private final DataSource real;
    private final AtomicReference<String> toLose = new AtomicReference<>();

    public UnreliableDataSource(DataSource real) {
        this.real = real;
    }

    /** The next statement with these words, in which tables have no schema, is carried out and committed, and its answer is lost with the connection. */
    public void loseAnswerOf(String words) {
        toLose.set(words);
    }

    public boolean hasLost() {
        return toLose.get() == null;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return watched(real.getConnection());
    }

    private Connection watched(Connection connection) {
        AtomicReference<String> prepared = new AtomicReference<>("");
        return Proxies.of(Connection.class, (method, arguments) -> {
            Object result = Proxies.call(connection, method, arguments);
            if (method.getName().equals("commit") && isToLose(prepared.get())) {
                throw cut(connection);
            }
            if (result instanceof PreparedStatement statement) {
                if (isToLose((String) arguments[0])) {
                    prepared.set((String) arguments[0]);
                }
                return watched(connection, statement, (String) arguments[0]);
            }
            return result;
        });
    }

    private PreparedStatement watched(Connection connection, PreparedStatement statement, String sql) {
        return Proxies.of(PreparedStatement.class, (method, arguments) -> {
            Object result = Proxies.call(statement, method, arguments);
            if (method.getName().startsWith("execute") && connection.getAutoCommit() && isToLose(sql)) {
                throw cut(connection);
            }
            return result;
        });
    }

    private boolean isToLose(String sql) {
        String words = toLose.get();
        return words != null && HookedDataSource.withoutSchema(sql).contains(words);
    }

    private SQLException cut(Connection connection) throws SQLException {
        toLose.set(null);
        connection.close();
        return new SQLException("the connection was lost before the answer", "08006");
    }
}
