package org.tasktube.node;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.itest.watchdog.Tool;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** PgBouncer gives each transaction another connection of the database. docs/databases.md has the settings. */
@Timeout(120)
@Tag("full")
@EnabledIf("isThere")
class PgBouncerTest {

    private static final int CONNECTIONS = 20;

    @TempDir
    private Path directory;

    private HikariDataSource database;
    private Process bouncer;
    private HikariDataSource pool;

    static boolean isThere() {
        return Tool.PGBOUNCER.isThere();
    }

    @BeforeEach
    void start() throws IOException {
        database = TestDatabase.POSTGRESQL.create();
        URI server = URI.create(database.getJdbcUrl().replaceFirst("jdbc:", ""));
        int port = freePort();
        // It refuses to run as root
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path users = Files.writeString(directory.resolve("users.txt"), "\"" + database.getUsername() + "\" \"\"\n");
        Path settings = Files.writeString(
                directory.resolve("pgbouncer.ini"),
                String.join(
                        "\n",
                        "[databases]",
                        "* = host=" + server.getHost() + " port=" + server.getPort(),
                        "[pgbouncer]",
                        "listen_addr = 127.0.0.1",
                        "listen_port = " + port,
                        "unix_socket_dir =",
                        "auth_type = trust",
                        "auth_file = " + users,
                        "pool_mode = transaction",
                        "default_pool_size = 5",
                        "ignore_startup_parameters = extra_float_digits"));
        List<String> command = new ArrayList<>(List.of("pgbouncer"));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(settings.toString());
        bouncer = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log.txt").toFile())
                .start();
        Eventually.holds(() -> listens(port), "PgBouncer listens");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + port + server.getPath() + "?prepareThreshold=0");
        config.setUsername(database.getUsername());
        config.setMaximumPoolSize(2 * CONNECTIONS);
        pool = new HikariDataSource(config);
    }

    private static int freePort() throws IOException {
        try (ServerSocket some = new ServerSocket(0)) {
            return some.getLocalPort();
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @AfterEach
    void stop() {
        pool.close();
        bouncer.destroy();
        database.close();
    }

    @Test
    void tasks_are_put_and_taken_and_no_connection_keeps_a_setting_of_the_adapter() throws Exception {
        try (RunningNode running = new RunningNode(pool)) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            for (int i = 0; i < 50; i++) {
                tube.put("x");
                tube.ack(tube.take(Duration.ZERO).orElseThrow());
                assertThat(lockTimeouts()).containsExactly("0");
            }
        }
        assertThat(lockTimeouts()).containsExactly("0");
    }

    /** Returns the limits of some transactions, each of which may have another connection of the database. */
    private Set<String> lockTimeouts() throws SQLException {
        Set<String> limits = new TreeSet<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            try (Connection connection = pool.getConnection();
                    Statement on = connection.createStatement();
                    ResultSet limit = on.executeQuery("SHOW lock_timeout")) {
                limit.next();
                limits.add(limit.getString(1));
            }
        }
        return limits;
    }
}
