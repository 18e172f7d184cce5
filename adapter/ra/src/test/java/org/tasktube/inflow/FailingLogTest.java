package org.tasktube.inflow;

import com.zaxxer.hikari.HikariDataSource;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jboss.logging.LoggerProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.testing.ChildJava;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.FailingLog;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A virtual machine without memory fails the lines of the log, too, with which failures are handled. */
@Timeout(120)
@Tag("full")
class FailingLogTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @DatabaseSource
    void no_thread_of_the_adapter_ends_by_an_Error_of_the_log(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            run(database);
        }
    }

    private void run(HikariDataSource database) throws IOException, InterruptedException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(LoggerProvider.class.getName()), FailingLog.class.getName());
        Path out = directory.resolve("out");
        Process child = ChildJava.of(
                        directory + File.pathSeparator + System.getProperty("java.class.path"),
                        FailingLogChild.class,
                        database.getJdbcUrl(),
                        database.getUsername())
                .redirectOutput(out.toFile())
                .start();
        try {
            child.waitFor();
            assertThat(Files.readString(out, StandardCharsets.UTF_8)).contains(FailingLogChild.SURVIVED);
        } finally {
            child.destroyForcibly();
        }
    }
}
