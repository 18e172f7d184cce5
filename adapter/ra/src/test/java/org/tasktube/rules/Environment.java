package org.tasktube.rules;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

/** A database and the servers on it. */
final class Environment implements AutoCloseable {

    /** How long the second server keeps what a session without connections holds; the first one does not. */
    static final Duration SESSION_TTR = Duration.ofSeconds(2);

    private final HikariDataSource database;
    private final AgroalDataSource pool;
    private final List<Server> servers = new ArrayList<>();
    private final Server server;

    Environment(TestDatabase kind) {
        database = kind.create();
        pool = Jta.pool(database);
        server = start("one", Server.PATIENCE, Duration.ZERO);
    }

    static Environment ofTwo(TestDatabase kind) {
        Environment environment = new Environment(kind);
        environment.start("two", Server.PATIENCE, SESSION_TTR);
        return environment;
    }

    /** The datasource that the application uses too. */
    DataSource dataSource() {
        return pool;
    }

    Server server() {
        return server;
    }

    /** The second of two, which keeps sessions for a while. */
    Server other() {
        return servers.get(1);
    }

    Server start(String node, Duration nodeTimeout, Duration sessionTtr) {
        return started(new Server(pool, node, RunningNode.POLL, nodeTimeout, sessionTtr));
    }

    /** Starts a server whose next poll is further off than any rule lasts. */
    Server startWithoutPolls(String node) {
        return started(new Server(pool, node, Scenario.LONG.multipliedBy(10), Server.PATIENCE, Duration.ZERO));
    }

    private Server started(Server server) {
        servers.add(server);
        return server;
    }

    @Override
    public void close() {
        servers.forEach(Server::close);
        pool.close();
        database.close();
    }
}
