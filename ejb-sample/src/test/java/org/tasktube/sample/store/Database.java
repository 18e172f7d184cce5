package org.tasktube.sample.store;

import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.tasktube.itest.kit.Postgres;

/** The databases that the sample is tested with, each with empty tables. */
enum Database {
    H2 {
        @Override
        String newUrl() {
            return "jdbc:h2:mem:pages" + NUMBER.incrementAndGet() + ";DB_CLOSE_DELAY=-1;USER=sa";
        }
    },
    POSTGRESQL {
        @Override
        String newUrl() {
            String url = Server.POSTGRES.url();
            try (Connection connection = DriverManager.getConnection(url, Postgres.USER, "");
                    Statement statement = connection.createStatement()) {
                String name = "pages" + NUMBER.incrementAndGet();
                statement.execute("create database " + name);
                return url.replaceFirst("/postgres$", "/" + name) + "?user=" + Postgres.USER;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    private static final AtomicInteger NUMBER = new AtomicInteger();

    abstract String newUrl();

    /** Makes the tables as the server does. */
    Tables newTables() {
        String url = newUrl();
        EntityManagerFactory entities = Persistence.createEntityManagerFactory(
                "link-checker",
                Map.of("jakarta.persistence.transactionType", "RESOURCE_LOCAL", "jakarta.persistence.jdbc.url", url));
        return new Tables(url, entities);
    }

    /** Started when a test first needs it. */
    private static final class Server {

        static final Postgres POSTGRES = start();

        private static Postgres start() {
            try {
                Postgres postgres = new Postgres(Files.createTempDirectory(Path.of("target"), "postgres"));
                postgres.start();
                Runtime.getRuntime().addShutdownHook(new Thread(postgres::close));
                return postgres;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Tables of one's own. */
    record Tables(String url, EntityManagerFactory entities) implements AutoCloseable {

        @Override
        public void close() {
            entities.close();
        }
    }
}
