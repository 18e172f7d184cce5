package org.tasktube.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.sql.SchemaSettings;
import org.tasktube.store.sql.SqlStores;

/** The databases that every rule is tested on, each of its own. */
public enum TestDatabase {
    H2,
    POSTGRESQL;

    /** As an adapter has them by default. */
    public static final SchemaSettings SETTINGS =
            new SchemaSettings(true, SchemaSettings.Migrate.AUTO, Duration.ofSeconds(10));

    /** Returns the database that the class of a test is marked with. */
    public static TestDatabase of(Object test) {
        return test.getClass().getAnnotation(OnDatabase.class).value();
    }

    /** A new database with a pool of connections; in PostgreSQL it has the tables. Closing the pool ends it. */
    public HikariDataSource create() {
        return this == H2 ? createEmpty() : Postgres.create(Tables.TEMPLATE);
    }

    /** A new database without tables, with a pool of connections; closing the pool ends it. */
    public HikariDataSource createEmpty() {
        // The 2 s for a lock that H2 has by default pass on a machine that is busy
        return this == H2
                ? connect("jdbc:h2:mem:" + newName() + ";LOCK_TIMEOUT=10000", "sa")
                : Postgres.create(Postgres.EMPTY);
    }

    /** A pool of connections, as {@link #create} makes it, to a database that another process may have created. */
    public static HikariDataSource connect(String url, String user) {
        // The driver prefers a user in the URL
        return new HikariDataSource(configuration(url.replaceFirst("[?]user=\\w+$", ""), user));
    }

    private static HikariConfig configuration(String url, String user) {
        HikariConfig config = new HikariConfig();
        config.setMaximumPoolSize(40);
        // H2 ends with its last connection. PostgreSQL starts a process for each, also for one that nobody asks for
        boolean h2 = url.startsWith("jdbc:h2:");
        config.setMinimumIdle(h2 ? 1 : 0);
        config.setInitializationFailTimeout(h2 ? 1 : -1);
        config.setJdbcUrl(url);
        config.setUsername(user);
        return config;
    }

    /** Returns a new empty database of PostgreSQL with the encoding LATIN1. Closing the pool ends it. */
    public static HikariDataSource createLatin1() throws SQLException {
        String name = newName();
        try (HikariDataSource server = POSTGRESQL.createEmpty()) {
            new Sql(server)
                    .execute("CREATE DATABASE " + name
                            + " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(server.getJdbcUrl().replaceFirst("/t[0-9a-f]{32}", "/" + name));
            config.setUsername(server.getUsername());
            config.setMinimumIdle(1);
            return new HikariDataSource(config);
        }
    }

    private static String newName() {
        return "t" + UUID.randomUUID().toString().replace("-", "");
    }

    /** Creates a schema in a database, and returns a pool of connections whose schema it is. */
    public HikariDataSource createSchema(HikariDataSource database, String schema) throws SQLException {
        String name = this == H2 ? schema.toUpperCase(Locale.ROOT) : schema;
        new Sql(database).execute("CREATE SCHEMA " + name);
        return inSchema(database, name);
    }

    /** Returns a pool of connections with that schema. */
    public static HikariDataSource inSchema(HikariDataSource database, String name) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.getJdbcUrl());
        config.setUsername(database.getUsername());
        config.setSchema(name);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    /** One server for all tests of this process; it is in another time zone on purpose. */
    private static final class Postgres {

        private static final String USER = "postgres";
        private static final String EMPTY = "template1";
        private static final Optional<Path> MEMORY = DataInMemory.directory();
        private static final EmbeddedPostgres SERVER = start();

        /** Copies files: in memory that is half of the work of a copy by way of the log, on a disk three times of it. */
        private static final String STRATEGY = MEMORY.isPresent() ? " STRATEGY FILE_COPY" : "";

        /** Creates all databases, because PostgreSQL starts a process for each connection. */
        private static final Connection CREATOR = connection();

        /** Drops them beside the tests, and not all at the end, which would take half a minute. */
        private static final Connection DROPPER = connection();

        private static final ExecutorService DROPS = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "drop of databases");
            thread.setDaemon(true);
            return thread;
        });

        private static EmbeddedPostgres start() {
            try {
                EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
                MEMORY.ifPresent(builder::setDataDirectory);
                return builder.setServerConfig("timezone", "Asia/Kathmandu")
                        .setServerConfig("max_connections", "300")
                        .setServerConfig("max_prepared_transactions", "20")
                        // It would look at each database each minute, by a process each
                        .setServerConfig("autovacuum", "off")
                        .setServerConfig("max_wal_size", "256MB")
                        // Only the machine's own crash needs them, and they hide what a statement writes
                        .setServerConfig("full_page_writes", "off")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static Connection connection() {
            try {
                return SERVER.getPostgresDatabase().getConnection();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        static HikariDataSource create(String template) {
            String name = copy(template);
            return new HikariDataSource(configuration(SERVER.getJdbcUrl(USER, name), USER)) {
                @Override
                public void close() {
                    if (!isClosed()) {
                        super.close();
                        DROPS.execute(() -> drop(name));
                    }
                }
            };
        }

        /** Creates a database that is not dropped. */
        static synchronized String copy(String template) {
            String name = newName();
            try (Statement statement = CREATOR.createStatement()) {
                statement.execute("CREATE DATABASE " + name + " TEMPLATE " + template + STRATEGY);
                return name;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void drop(String name) {
            try (Statement statement = DROPPER.createStatement()) {
                statement.execute("DROP DATABASE " + name);
            } catch (SQLException e) {
                // A test has left a connection, or the server ends with the process: the database ends with the server
            }
        }
    }

    /** A database of PostgreSQL with the tables, which others are copies of: to create them takes longer. */
    private static final class Tables {

        private static final String TEMPLATE = create();

        private static String create() {
            String name = Postgres.copy(Postgres.EMPTY);
            try (HikariDataSource pool = connect(Postgres.SERVER.getJdbcUrl(Postgres.USER, name), Postgres.USER)) {
                SqlStores.open(pool, true, () -> {}).close();
                new Sql(pool).execute(strict());
                new Sql(pool).execute(strict().replace("tasktube_task", "tasktube_temporary"));
            } catch (StoreUnavailableException | SQLException | IOException e) {
                throw new IllegalStateException(e);
            }
            return name;
        }

        /** The constraints that each statement must keep, and that the tables of a server do not check. */
        private static String strict() throws IOException {
            try (InputStream in = SqlStores.class.getResourceAsStream("strict-postgresql.sql")) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }
}
