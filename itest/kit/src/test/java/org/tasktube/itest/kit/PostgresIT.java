package org.tasktube.itest.kit;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("full")
class PostgresIT {

    @TempDir
    private Path directory;

    @Test
    void what_was_committed_survives_a_kill() throws SQLException {
        try (Postgres postgres = new Postgres(directory)) {
            postgres.start();
            String url = postgres.url();
            execute(postgres, "create table survivor as select 42 as answer");
            postgres.kill();
            assertThat(postgres.isRunning()).isFalse();

            postgres.start();
            assertThat(postgres.url()).isEqualTo(url);
            assertThat(query(postgres, "select answer from survivor")).isEqualTo("42");
        }
    }

    @Test
    void it_writes_to_the_disk_as_in_production() throws SQLException {
        try (Postgres postgres = new Postgres(directory)) {
            postgres.start();
            assertThat(query(postgres, "show fsync")).isEqualTo("on");
            assertThat(query(postgres, "show synchronous_commit")).isEqualTo("on");
        }
    }

    private static void execute(Postgres postgres, String sql) throws SQLException {
        try (Connection connection = connect(postgres);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String query(Postgres postgres, String sql) throws SQLException {
        try (Connection connection = connect(postgres);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static Connection connect(Postgres postgres) throws SQLException {
        return DriverManager.getConnection(postgres.url(), Postgres.USER, "");
    }
}
