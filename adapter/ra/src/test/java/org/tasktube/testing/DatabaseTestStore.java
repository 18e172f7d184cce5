package org.tasktube.testing;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.tasktube.TubeDefinition;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Registry;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.store.sql.TaskStore;

/**
 * The store in a database whose clock stands: the function that our statements ask for the time is another one here.
 */
public final class DatabaseTestStore implements TestStore {

    private final TestDatabase kind;
    private final boolean temporary;
    private final HikariDataSource pool;
    private final OpenStore open;

    @SuppressWarnings("ThreadLocalUsage") // each store has its own transactions
    private final ThreadLocal<Connection> current = new ThreadLocal<>();

    /** @param temporary whether all tubes are temporary */
    public DatabaseTestStore(TestDatabase kind, boolean temporary) {
        this.kind = kind;
        this.temporary = temporary;
        pool = kind.createEmpty();
        if (kind == TestDatabase.POSTGRESQL) {
            replaceClockOfPostgreSql();
        }
        try {
            open = SqlStores.open(dataSource(), true, () -> {});
        } catch (StoreUnavailableException e) {
            throw new IllegalStateException(e);
        }
        if (kind == TestDatabase.POSTGRESQL) {
            // Its path has been set before the clock's
            for (String function : List.of("tasktube_promote_heads", "tasktube_promote_temporary")) {
                execute("ALTER FUNCTION " + function + "(integer) SET search_path = public, pg_catalog");
            }
        } else {
            execute("DROP ALIAS tasktube_now");
            execute("CREATE ALIAS tasktube_now FOR '" + StandingClock.class.getName() + ".now'");
            StandingClock.set(START);
        }
    }

    /** What stands before {@code pg_catalog} is found before its functions, by connections that begin afterwards. */
    private void replaceClockOfPostgreSql() {
        String database = pool.getJdbcUrl().replaceFirst(".*/", "").replaceFirst("\\?.*", "");
        execute("CREATE TABLE model_clock (now timestamptz)");
        execute("INSERT INTO model_clock VALUES ('" + START + "')");
        execute("CREATE FUNCTION statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE"
                + " AS 'SELECT (SELECT now FROM model_clock)'");
        execute("ALTER DATABASE " + database + " SET search_path = public, pg_catalog");
        execute("ALTER DATABASE " + database + " SET lock_timeout = '2s'");
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    /** Executes a statement of the test's own, in no transaction. */
    public void execute(String sql) {
        try {
            new Sql(pool).execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Gives the connection of the transaction that the thread is in, or one of the pool. */
    public DataSource dataSource() {
        return (ConnectionSource) () -> {
            Connection own = current.get();
            return own == null ? pool.getConnection() : Proxies.leftOpen(own);
        };
    }

    @Override
    public TaskStore tasks() {
        return temporary ? open.temporary() : open.tasks();
    }

    public Registry registry() {
        return open.registry();
    }

    @Override
    public StoredTube create(TubeDefinition tube, boolean subQueues) {
        return open.registry()
                .createTube(temporary ? tube.asTemporary() : tube, subQueues)
                .orElseThrow();
    }

    @Override
    public void drop(StoredTube tube) {
        open.registry().dropTube(tube);
    }

    @Override
    public void setClock(Instant to) {
        if (kind == TestDatabase.H2) {
            StandingClock.set(to);
        } else {
            execute("UPDATE model_clock SET now = '" + to + "'");
        }
    }

    @Override
    public TestTransaction begin() {
        try {
            Connection connection = pool.getConnection();
            connection.setAutoCommit(false);
            return new OnConnection(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        open.close();
        pool.close();
    }

    private final class OnConnection implements TestTransaction {

        private final Connection connection;
        private boolean ended;

        OnConnection(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void resume() {
            current.set(connection);
        }

        @Override
        public void suspend() {
            current.remove();
        }

        @Override
        public void commit() {
            end(true);
        }

        @Override
        public void rollback() {
            end(false);
        }

        private void end(boolean commit) {
            ended = true;
            try (connection) {
                if (commit) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                connection.setAutoCommit(true);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            if (!ended) {
                rollback();
            }
        }
    }
}
