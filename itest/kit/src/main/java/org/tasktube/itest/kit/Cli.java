package org.tasktube.itest.kit;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.tasktube.itest.kit.CliProgram.Outcome;
import org.tasktube.itest.kit.CliProgram.Script;
import org.wildfly.core.launcher.CliCommandBuilder;

import static java.nio.charset.StandardCharsets.UTF_8;

/** WildFly's jboss-cli. */
final class Cli {

    private static final String BASE = "jboss.server.base.dir";

    private final Path home;
    private final Path base;
    private final Duration patience;

    Cli(Path home, Path base, Duration patience) {
        this.home = home;
        this.base = base;
        this.patience = patience;
    }

    /**
     * Runs commands one after the other, in a process that has run others and will run more.
     *
     * @param directory the working directory, which relative paths in commands start from
     * @param settings what <code>${name}</code> in commands stands for
     * @return what the commands wrote
     * @throws IllegalStateException if one failed, with all that was written up to there
     */
    String run(List<String> commands, Path directory, Map<String, String> settings) throws IOException {
        Map<String, String> properties = new HashMap<>(settings);
        properties.put(BASE, base.toString());
        Outcome outcome = WarmCli.run(home, directory, new Script(commands, properties, patience), patience);
        return outcome.success() ? outcome.output() : failed(outcome.output());
    }

    private static String failed(String written) {
        throw new IllegalStateException("jboss-cli failed:\n" + written);
    }

    /** As {@link #run}, in a process of its own, as administrators run it; that takes some seconds more. */
    String runAlone(List<String> commands, Path directory, Map<String, String> settings) throws IOException {
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
                .addJavaOption("-D" + BASE + "=" + base)
                .setScriptFile(script)
                .addCliArgument("--properties=" + properties)
                .addCliArgument("--resolve-parameter-values")
                .addCliArgument("--no-color-output")
                // for the server after a reload too, which is 6 seconds otherwise
                .addCliArgument("--timeout=" + patience.toMillis())
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
        return process.exitValue() == 0 ? written : failed(written);
    }

    private static void store(Map<String, String> settings, Path file) throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        try (Writer writer = Files.newBufferedWriter(file, UTF_8)) {
            properties.store(writer, null);
        }
    }
}
