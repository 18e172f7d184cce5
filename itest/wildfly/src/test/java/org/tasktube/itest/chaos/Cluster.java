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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.tasktube.itest.ConfiguredHome;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.trouble.Servers;
import org.tasktube.itest.watchdog.Network;

/** Two servers on one PostgreSQL, which can have a standby. Each reaches each database by a network of its own. */
final class Cluster implements AutoCloseable {

    static final int SERVERS = 2;

    /** The offset of the ports of two servers; the servers of the console in the same process of tests are 50 apart. */
    private static final int APART = 25;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** By which the database knows the connections of the tests. */
    static final String TESTS = "tests";

    private static final String ONLY_THE_PRIMARY = "targetServerType=primary&hostRecheckSeconds=1&connectTimeout=5";

    private static final String TABLES = """
            CREATE TABLE lane_put (lane text, number bigint, task bigint, sub text, server text,
                begun timestamptz DEFAULT now(), at timestamptz DEFAULT clock_timestamp());
            CREATE TABLE lane_released (LIKE lane_put INCLUDING DEFAULTS);
            CREATE TABLE lane_done (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, lane text, number bigint,
                task bigint, sub text, server text, at timestamptz DEFAULT clock_timestamp())""";

    private final Path directory;
    private final ServerOptions options;
    private final Postgres first;
    private Postgres postgres;
    private final List<Network> networks = new ArrayList<>();
    private Optional<Network> replication = Optional.empty();
    private Optional<Postgres> standby = Optional.empty();
    private Optional<String> elsewhere = Optional.empty();
    private final List<WildFly> servers = new ArrayList<>();
    private final List<Clock> clocks = new ArrayList<>();

    Cluster(Path directory) {
        this(directory, Servers.options());
    }

    /** Whose beans do not fail by themselves. */
    static Cluster wellBehaved(Path directory) {
        return new Cluster(directory, Servers.options().javaOption("-Dlanes.wellBehaved=true"));
    }

    /** On a database that somebody else starts and stops. */
    static Cluster on(Path directory, String url) {
        Cluster cluster = new Cluster(directory, Servers.options());
        cluster.elsewhere = Optional.of(url);
        return cluster;
    }

    private Cluster(Path directory, ServerOptions options) {
        this.options = options;
        this.directory = directory;
        // The time of each commit says what a claim could see
        this.first = new Postgres(
                directory.resolve("data"),
                Map.of("max_connections", "160", "track_commit_timestamp", "on", "autovacuum_naptime", "1s"));
        this.postgres = first;
    }

    /** Gives the database a standby. */
    void replicate() throws IOException {
        postgres.start();
        Network line = new Network(postgres.port());
        Postgres copy = postgres.standby(directory.resolve("standby"), line.port());
        copy.start();
        replication = Optional.of(line);
        standby = Optional.of(copy);
        Eventually.holds(
                PATIENCE,
                () -> number("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == 1,
                () -> "the standby follows");
    }

    void start() throws IOException {
        if (standby.isEmpty() && elsewhere.isEmpty()) {
            postgres.start();
        }
        execute(TABLES);
        for (int i = 0; i < SERVERS; i++) {
            servers.add(configured(i));
        }
        Path war = LaneWar.in(directory);
        for (WildFly server : servers) {
            server.start();
            server.deploy(war);
        }
    }

    private WildFly configured(int i) throws IOException {
        int offset = options.portOffset() + APART * i;
        clocks.add(new Clock(directory.resolve("clock-" + i)));
        return new WildFly(
                ConfiguredHome.POSTGRESQL.copyTo(directory.resolve(name(i)), url()),
                clocks.get(i).of(options.portOffset(offset).node(name(i))));
    }

    private String url() throws IOException {
        if (elsewhere.isPresent()) {
            return elsewhere.get();
        }
        return "jdbc:postgresql://" + line(postgres)
                + (standby.isEmpty() ? "/postgres" : "," + line(standby.get()) + "/postgres?" + ONLY_THE_PRIMARY);
    }

    private String line(Postgres to) throws IOException {
        Network line = new Network(to.port());
        networks.add(line);
        return "127.0.0.1:" + line.port();
    }

    /** Returns the line from the database to its standby. */
    Network replication() {
        return replication.orElseThrow();
    }

    /** Kills the database, and has its standby be the database. */
    void failOver() {
        first.kill();
        postgres = standby.orElseThrow();
        number("SELECT CASE WHEN pg_promote() THEN 1 END");
    }

    /** Starts the database again that was killed, beside the present one. */
    Postgres formerDatabase() {
        first.start();
        return first;
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

    /** Returns the line from a server to the database. */
    Network network(int i) {
        return networks.get(i * networks.size() / SERVERS);
    }

    Clock clock(int i) {
        return clocks.get(i);
    }

    static String name(int server) {
        return "server-" + server;
    }

    /** Connects past the networks. */
    Connection connect() throws SQLException {
        String url = elsewhere.map(all -> all + "&").orElseGet(() -> postgres.url() + "?");
        return DriverManager.getConnection(url + "ApplicationName=" + TESTS, Postgres.USER, "");
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

    /** Waits until each server has worked on a task that was put after a time. Returns how long after it. */
    Duration awaitWork(Instant since) {
        String sql = "SELECT count(DISTINCT d.server) FROM lane_done d WHERE at > '" + since
                + "' AND id > (SELECT max(id) - 20000 FROM lane_done)";
        Eventually.holds(PATIENCE, () -> number(sql) == SERVERS, () -> "both servers work, after " + since);
        return Duration.ofMillis(number("SELECT 1000 * max(extract(epoch FROM first - '" + since
                + "')) FROM (SELECT min(at) AS first FROM lane_done WHERE at > '" + since
                + "' AND id > (SELECT max(id) - 20000 FROM lane_done) GROUP BY server) f"));
    }

    /** Reads the journals of all processes of the servers. */
    Journals journals() throws IOException {
        Journals journals = new Journals();
        for (int i = 0; i < SERVERS; i++) {
            journals.read(journals(i));
        }
        return journals;
    }

    private List<Path> journals(int server) {
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
        standby.ifPresent(Postgres::close);
        first.close();
        if (replication.isPresent()) {
            replication.get().close();
        }
    }
}
