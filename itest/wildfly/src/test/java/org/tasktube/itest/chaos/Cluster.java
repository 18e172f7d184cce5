package org.tasktube.itest.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tasktube.itest.ConfiguredHome;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.trouble.Servers;
import org.tasktube.itest.watchdog.Network;

/** Two servers on one PostgreSQL, each by a network of its own. */
final class Cluster implements AutoCloseable {

    static final int SERVERS = 2;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final String TABLES = """
            CREATE TABLE lane_put (lane text, number bigint, task bigint, sub text, server text,
                at timestamptz DEFAULT clock_timestamp());
            CREATE TABLE lane_done (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, lane text, number bigint,
                task bigint, sub text, server text, at timestamptz DEFAULT clock_timestamp())""";

    private final Path directory;
    private final Postgres postgres;
    private final List<Network> networks = new ArrayList<>();
    private final List<WildFly> servers = new ArrayList<>();

    Cluster(Path directory) {
        this.directory = directory;
        // The time of each commit says what a claim could see
        this.postgres = new Postgres(
                directory.resolve("data"), Map.of("max_connections", "160", "track_commit_timestamp", "on"));
    }

    void start() throws IOException {
        postgres.start();
        execute(TABLES);
        for (int i = 0; i < SERVERS; i++) {
            networks.add(new Network(postgres.port()));
            servers.add(configured(i));
        }
        Path war = LaneWar.in(directory);
        for (WildFly server : servers) {
            server.start();
            server.deploy(war);
        }
    }

    private WildFly configured(int i) {
        String url = "jdbc:postgresql://127.0.0.1:" + networks.get(i).port() + "/postgres";
        int offset = Servers.options().portOffset() + 50 * i;
        return new WildFly(
                ConfiguredHome.POSTGRESQL.copyTo(directory.resolve("server-" + i), url),
                Servers.options().portOffset(offset).node("server-" + i));
    }

    Postgres postgres() {
        return postgres;
    }

    WildFly server(int i) {
        return servers.get(i);
    }

    List<WildFly> servers() {
        return servers;
    }

    Network network(int i) {
        return networks.get(i);
    }

    static String name(int server) {
        return "server-" + server;
    }

    /** Connects past the networks. */
    Connection connect() throws SQLException {
        return DriverManager.getConnection(postgres.url(), Postgres.USER, "");
    }

    void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Returns a number of one row. */
    long number(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Starts the database again if it has ended, and returns when it answers. */
    void reviveDatabase() {
        if (!postgres.isAlive()) {
            postgres.kill();
            postgres.start();
        }
        Eventually.holds(PATIENCE, this::answers, () -> "the database answers");
    }

    private boolean answers() {
        try (Connection connection = connect()) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Returns the journals of all processes of a server. */
    List<Path> journals(int server) {
        Path base = servers.get(server).home().resolve(name(server));
        try (Stream<Path> files = Files.list(base)) {
            return files.filter(file -> file.getFileName().toString().startsWith("journal-"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        servers.forEach(WildFly::close);
        for (Network network : networks) {
            network.close();
        }
        postgres.close();
    }
}
