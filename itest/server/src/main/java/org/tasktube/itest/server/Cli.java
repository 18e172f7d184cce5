package org.tasktube.itest.server;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.wildfly.core.launcher.CliCommandBuilder;

import static java.nio.charset.StandardCharsets.UTF_8;

/** WildFly's jboss-cli as a process of its own, as administrators run it. */
final class Cli {

    private final Path home;
    private final Path base;
    private final Duration patience;

    Cli(Path home, Path base, Duration patience) {
        this.home = home;
        this.base = base;
        this.patience = patience;
    }

    /**
     * Runs commands one after the other.
     *
     * @param directory the working directory, which relative paths in commands start from
     * @param settings what <code>${name}</code> in commands stands for
     * @return what the commands wrote
     * @throws IllegalStateException if one failed, with all that was written up to there
     */
    String run(List<String> commands, Path directory, Map<String, String> settings) throws IOException {
        Path script = Files.createTempFile("tasktube", ".cli");
        Path properties = Files.createTempFile("tasktube", ".properties");
        Path output = Files.createTempFile("tasktube", ".log");
        try {
            Files.write(script, commands);
            store(settings, properties);
            return run(command(script, properties), directory, output);
        } finally {
            for (Path file : List.of(script, properties, output)) {
                Files.delete(file);
            }
        }
    }

    private List<String> command(Path script, Path properties) {
        return CliCommandBuilder.of(home)
                // which node an embedded server is
                .addJavaOption("-Djboss.server.base.dir=" + base)
                .setScriptFile(script)
                .addCliArgument("--properties=" + properties)
                .addCliArgument("--resolve-parameter-values")
                .addCliArgument("--no-color-output")
                .build();
    }

    private String run(List<String> command, Path directory, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JBOSS_HOME", home.toString());
        Process process = Orphans.adopt(builder.start());
        try {
            Waiting.await(process.onExit(), patience, "jboss-cli");
        } finally {
            process.destroyForcibly();
        }
        String written = Files.readString(output);
        if (process.exitValue() != 0) {
            throw new IllegalStateException("jboss-cli failed:\n" + written);
        }
        return written;
    }

    private static void store(Map<String, String> settings, Path file) throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        try (Writer writer = Files.newBufferedWriter(file, UTF_8)) {
            properties.store(writer, null);
        }
    }
}
