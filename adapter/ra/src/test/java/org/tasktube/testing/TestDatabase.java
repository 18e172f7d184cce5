package org.tasktube.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.UUID;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.sql.SqlStores;

/** The databases that every rule is tested on, each of its own. */
public enum TestDatabase {
    H2,
    POSTGRESQL;

    /** Returns the database that the class of a test is marked with. */
    public static TestDatabase of(Object test) {
        return test.getClass().getAnnotation(OnDatabase.class).value();
    }

    /** A new database with a pool of connections; in PostgreSQL it has the tables. Closing the pool ends it. */
    public HikariDataSource create() {
        return this == H2 ? createEmpty() : connect(Postgres.create(newName(), Tables.TEMPLATE), Postgres.USER);
    }

    /** A new database without tables, with a pool of connections; closing the pool ends it. */
    public HikariDataSource createEmpty() {
        String name = newName();
        return this == H2
                ? connect("jdbc:h2:mem:" + name, "sa")
                : connect(Postgres.create(name, "template1"), Postgres.USER);
    }

    /** A pool of connections, as {@link #create} makes it, to a database that another process may have created. */
    public static HikariDataSource connect(String url, String user) {
        HikariConfig config = new HikariConfig();
        config.setMaximumPoolSize(40);
        config.setMinimumIdle(1);
        config.setJdbcUrl(url);
        config.setUsername(user);
        return new HikariDataSource(config);
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
        private static final EmbeddedPostgres SERVER = start();

        /** For all that is created: PostgreSQL starts a process for each connection. */
        private static final Connection CONNECTION = connection();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder()
                        .setServerConfig("timezone", "Asia/Kathmandu")
                        .setServerConfig("max_connections", "300")
                        // It would look at hundreds of databases each minute, by a process each
                        .setServerConfig("autovacuum", "off")
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

        static synchronized String create(String name, String template) {
            try (Statement statement = CONNECTION.createStatement()) {
                statement.execute("CREATE DATABASE " + name + " TEMPLATE " + template);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return SERVER.getJdbcUrl(USER, name);
        }
    }

    /** A database of PostgreSQL with the tables, which others are copies of: to create them takes longer. */
    private static final class Tables {

        private static final String TEMPLATE = create();

        private static String create() {
            String name = newName();
            try (HikariDataSource pool = connect(Postgres.create(name, "template1"), Postgres.USER)) {
                SqlStores.open(pool, true, () -> {}).close();
            } catch (StoreUnavailableException e) {
                throw new IllegalStateException(e);
            }
            return name;
        }
    }
}
