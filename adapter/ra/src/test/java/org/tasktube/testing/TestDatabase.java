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

/** The databases that every rule is tested on, each empty and of its own. */
public enum TestDatabase {
    H2,
    POSTGRESQL;

    /** Returns the database that the class of a test is marked with. */
    public static TestDatabase of(Object test) {
        return test.getClass().getAnnotation(OnDatabase.class).value();
    }

    /** A new empty database with a pool of connections; closing the pool ends it. */
    public HikariDataSource create() {
        String name = newName();
        return this == H2 ? connect("jdbc:h2:mem:" + name, "sa") : connect(Postgres.create(name), "postgres");
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
        try (HikariDataSource server = POSTGRESQL.create()) {
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

    /** One server for all tests of this run; it is in another time zone on purpose. */
    private static final class Postgres {

        private static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder()
                        .setServerConfig("timezone", "Asia/Kathmandu")
                        .setServerConfig("max_connections", "300")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static String create(String name) {
            try (Connection connection = SERVER.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE " + name);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return SERVER.getJdbcUrl("postgres", name);
        }
    }
}
