package org.tasktube.itest.console;

import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.ConsoleUser;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.trouble.Servers;
import org.tasktube.itest.trouble.Wars;

/**
 * One server on PostgreSQL for all tests of the console that a process runs, with users of all roles, and with beans that work as a test
 * says.
 */
final class ConsoleServer implements AutoCloseable {

    private static final Path DIRECTORY =
            Path.of(System.getProperty("target"), "of-the-console-" + System.getProperty("fork"));

    /** The path of Prometheus' text from Micrometer's registry. */
    private static final String MICROMETER = "/prometheus";

    private final Postgres postgres;
    private final WildFly server;
    private final ConsoleUser guest = ConsoleUser.random("guest");
    private final ConsoleUser viewer = ConsoleUser.random("viewer");
    private final ConsoleUser operator = ConsoleUser.random("operator");
    private final ConsoleUser admin = ConsoleUser.random("admin");
    private final ConsoleUser scraper = ConsoleUser.random("scraper");

    private ConsoleServer(Postgres postgres, WildFly server) {
        this.postgres = postgres;
        this.server = server;
    }

    /** Gives each test that asks for it the one server, which the first of them starts. */
    static final class Extension implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == ConsoleServer.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return of(context);
        }
    }

    static ConsoleServer of(ExtensionContext context) {
        return context.getStore(StoreScope.LAUNCHER_SESSION, Namespace.create(ConsoleServer.class))
                .getOrComputeIfAbsent(ConsoleServer.class, type -> started(), ConsoleServer.class);
    }

    private static ConsoleServer started() {
        Servers.directory(DIRECTORY.getFileName().toString());
        Postgres postgres = new Postgres(DIRECTORY.resolve("data"));
        postgres.start();
        try {
            // It stays up while other classes of the process have servers of their own
            ServerOptions options = Servers.options();
            WildFly server = Servers.onPostgres(DIRECTORY, postgres, options.portOffset(options.portOffset() + 50));
            server.cli(
                    "/subsystem=resource-adapters/resource-adapter=tasktube.rar/config-properties=deliveryLogLines:write-attribute(name=value,value=20)",
                    "/extension=org.wildfly.extension.micrometer:add",
                    "/subsystem=micrometer:add(exposed-subsystems=[resource-adapters])",
                    "/subsystem=micrometer/registry=prometheus:add(security-enabled=false,context=" + MICROMETER + ")");
            ConsoleServer console = new ConsoleServer(postgres, server);
            console.begin();
            return console;
        } catch (RuntimeException | Error e) {
            postgres.close();
            throw e;
        }
    }

    private void begin() {
        server.start();
        try {
            guest.addTo(server);
            viewer.addTo(server, "tasktube-viewer");
            operator.addTo(server, "tasktube-operator");
            admin.addTo(server, "tasktube-admin");
            scraper.addTo(server, "tasktube-metrics");
            server.deploy(Wars.of(DIRECTORY, "work"));
            Eventually.holds(
                    () -> rest(viewer)
                            .get("session")
                            .getString("adapterState", "")
                            .equals("RUNNING"),
                    "the adapter runs");
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    WildFly server() {
        return server;
    }

    /** A user without a role. */
    ConsoleUser guest() {
        return guest;
    }

    ConsoleUser viewer() {
        return viewer;
    }

    ConsoleUser operator() {
        return operator;
    }

    ConsoleUser admin() {
        return admin;
    }

    /** A user who reads the metrics, and nothing else. */
    ConsoleUser scraper() {
        return scraper;
    }

    Postgres postgres() {
        return postgres;
    }

    /** The address of a page; the overview has the empty path. */
    URI page(String path) {
        return server.console(path);
    }

    /** The address at which the server's subsystem micrometer shows its registry. */
    URI micrometer() {
        return URI.create("http://127.0.0.1:" + server.managementPort() + MICROMETER);
    }

    Rest rest(ConsoleUser user) {
        return new Rest(server.console("api/v1/"), user);
    }

    /** Drops a tube with all its tasks, if there is one of the name, and makes it anew. */
    void freshTube(String name, String type) {
        drop(name);
        rest(admin).post("tubes", "{\"name\":\"" + name + "\",\"type\":\"" + type + "\"}");
    }

    void drop(String name) {
        rest(admin).send("DELETE", "tubes/" + name + "?force=true", "");
    }

    /** Puts so many small tasks into a tube, by the API. */
    void fill(String tube, int tasks) {
        work("put?tube=" + tube + "&tasks=" + tasks);
    }

    /** Lets the beans end that hold tasks. */
    void openGate() {
        work("open");
    }

    private void work(String path) {
        HttpResponse<String> answer = new Rest(server.http("/work/"), admin).send("GET", path, "");
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(path + ": " + answer.statusCode() + " " + answer.body());
        }
    }

    /** Executes a statement in the database; returns the number of its rows. */
    int sql(String text) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            return statement.executeUpdate(text);
        } catch (SQLException e) {
            throw new IllegalStateException(text, e);
        }
    }

    /** Returns the first column of the first row. */
    String read(String query) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    /** Keeps operations WAITING until the returned connection is closed: another one seems to begin. */
    Connection holdOperations() {
        try {
            Connection other = connect();
            other.setAutoCommit(false);
            Eventually.holds(() -> seemsToRun(other), "no operation runs");
            return other;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean seemsToRun(Connection other) {
        try (Statement statement = other.createStatement()) {
            statement.execute(
                    "INSERT INTO tasktube_operation (id, act, filter, reason, created_by, created_at, expected,"
                            + " is_least, up_to, state, running)"
                            + " VALUES (0, 'RETRY', 'tube:none', 'test', 'test', now(), 0, FALSE, 0, 'r', true)");
            return true;
        } catch (SQLException e) {
            rollback(other);
            return false;
        }
    }

    private static void rollback(Connection other) {
        try {
            other.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(postgres.url(), Postgres.USER, "");
    }

    @Override
    public void close() {
        try {
            server.close();
        } finally {
            postgres.close();
        }
    }
}
