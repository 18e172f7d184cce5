package org.tasktube.model;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.OpenStore;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.TestDatabase;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The store in a database whose clock stands: the function that our statements ask for the time is another one here. */
final class DatabaseEnvironment implements Environment {

    private final TestDatabase kind;
    private final HikariDataSource database;
    private final Connection clock;
    private final List<Connection> connections = new ArrayList<>();
    private final OpenStore open;
    private int actor;

    DatabaseEnvironment(TestDatabase kind) throws SQLException, StoreUnavailableException {
        this.kind = kind;
        database = kind.create();
        clock = connect();
        if (kind == TestDatabase.POSTGRESQL) {
            execute("CREATE TABLE model_clock (now timestamptz)");
            execute("INSERT INTO model_clock VALUES ('" + START + "')");
            execute("CREATE FUNCTION statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE"
                    + " AS 'SELECT (SELECT now FROM model_clock)'");
        }
        for (int i = 0; i < Model.ACTORS; i++) {
            connections.add(connect());
        }
        open = SqlStores.open(dataSource(), true, () -> {});
        // What is compared after each step is found by no other index
        execute("CREATE INDEX model_tube ON tasktube_task (tube_id)");
        if (kind == TestDatabase.H2) {
            execute("DROP ALIAS tasktube_now");
            execute("CREATE ALIAS tasktube_now FOR '" + StandingClock.class.getName() + ".now'");
        }
    }

    /** What stands before {@code pg_catalog} is found before its functions. */
    private Connection connect() throws SQLException {
        return kind == TestDatabase.H2
                ? DriverManager.getConnection(database.getJdbcUrl(), database.getUsername(), "")
                : DriverManager.getConnection(
                        database.getJdbcUrl() + "&currentSchema=public,pg_catalog&options=-c%20lock_timeout=2000");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = clock.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Gives the connection of who acts; nobody but the transaction's end closes it. */
    private DataSource dataSource() {
        List<Connection> lasting = connections.stream().map(Proxies::leftOpen).toList();
        return (ConnectionSource) () -> lasting.get(actor);
    }

    @Override
    public TaskStore store() {
        return open.tasks();
    }

    @Override
    public StoredTube create(TubeDefinition tube, boolean subQueues) {
        return open.registry().createTube(tube, subQueues).orElseThrow();
    }

    @Override
    public void setClock(Instant to) throws SQLException {
        StandingClock.set(to);
        if (kind == TestDatabase.POSTGRESQL) {
            execute("UPDATE model_clock SET now = '" + to + "'");
        }
    }

    @Override
    public void as(int who) {
        actor = who;
    }

    @Override
    public void begin(int who) throws SQLException {
        connections.get(who).setAutoCommit(false);
    }

    @Override
    public void end(int who, boolean commit) throws SQLException {
        if (commit) {
            connections.get(who).commit();
        } else {
            connections.get(who).rollback();
        }
        connections.get(who).setAutoCommit(true);
    }

    @Override
    public Map<Long, Version> contents(List<StoredTube> tubes) throws SQLException {
        Map<Long, Version> contents = new HashMap<>();
        try (PreparedStatement statement =
                connections.get(actor).prepareStatement("SELECT * FROM tasktube_task WHERE tube_id IN (?, ?)")) {
            statement.setInt(1, tubes.get(0).id());
            statement.setInt(2, tubes.get(1).id());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    contents.put(row.getLong("id"), version(row));
                }
            }
        }
        return contents;
    }

    private static Version version(ResultSet row) throws SQLException {
        Version version = new Version();
        version.state = TaskState.of(row.getString("state").charAt(0));
        version.pri = row.getInt("pri");
        version.data = new String(row.getBytes("data"), UTF_8);
        version.utube = row.getString("utube");
        version.key = row.getString("live_key");
        version.created = time(row, "created_at");
        version.event = time(row, "event_at");
        version.expires = time(row, "expires_at");
        long ttr = row.getLong("ttr_ms");
        version.ttr = row.wasNull() ? null : Long.valueOf(ttr);
        version.session = Environment.actor(row.getObject("session", UUID.class));
        version.takenAt = time(row, "taken_at");
        version.attempts = row.getInt("attempts");
        version.taken = row.getInt("taken_count");
        version.buried = row.getInt("buried_count");
        version.failure = row.getString("error_message");
        version.result = result(row);
        return version;
    }

    private static Long time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : Environment.millis(time.toInstant());
    }

    private static String result(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        if (outcome == null) {
            return null;
        }
        return (outcome.equals("c") ? "COMPLETED" : "REJECTED") + ":" + new String(row.getBytes("result"), UTF_8) + ":"
                + row.getLong("result_ttl_ms");
    }

    @Override
    public void close() throws SQLException {
        open.close();
        for (Connection connection : connections) {
            connection.close();
        }
        clock.close();
        database.close();
    }
}
