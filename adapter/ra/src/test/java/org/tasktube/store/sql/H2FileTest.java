package org.tasktube.store.sql;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The reason for {@code async:} in the URL of an H2 database in a file. */
class H2FileTest {

    private static final int ROWS = 1000;
    private static final int LENGTH = 2000;

    @TempDir
    private Path directory;

    @Test
    void an_interrupt_in_a_query_closes_a_database_in_a_file_and_not_the_same_one_with_async() throws Exception {
        try (Connection other = open("file:")) {
            fill(other);
            assertThatThrownBy(() -> queryInterrupted("file:")).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> query(other)).isInstanceOf(SQLException.class);
        }
        try (Connection other = open("async:")) {
            for (int round = 0; round < 10; round++) {
                queryInterrupted("async:");
                query(other);
            }
        }
    }

    /** With so small a cache that a query reads the file. */
    private Connection open(String prefix) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:h2:" + prefix + directory.resolve("tasks") + ";CACHE_SIZE=64;WRITE_DELAY=0");
    }

    private static void fill(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE filler (text VARCHAR)");
            statement.execute(
                    "INSERT INTO filler SELECT REPEAT('x', " + LENGTH + ") FROM SYSTEM_RANGE(1, " + ROWS + ")");
            statement.execute("CHECKPOINT SYNC");
        }
    }

    private void queryInterrupted(String prefix) throws SQLException {
        try (Connection connection = open(prefix)) {
            Thread.currentThread().interrupt();
            query(connection);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }

    private static void query(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT SUM(LENGTH(text)) FROM filler")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getInt(1)).isEqualTo(ROWS * LENGTH);
        }
    }
}
