package org.tasktube.itest.configure;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tasktube.itest.kit.CliSession;
import org.tasktube.itest.kit.ServerHome;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.trouble.Servers;
import org.tasktube.itest.watchdog.FullRun;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * At whatever line configure.cli fails, after restore.cli the server's configuration is the one before. A run tries
 * every fourth line, and a full run each.
 */
@Tag("full")
class PartialFailureIT {

    private static final Path TARGET = Path.of(System.getProperty("target"));

    @TempDir
    private static Path directory;

    private static Path home;
    private static Path tasktube;

    @BeforeAll
    static void unpack() {
        home = ServerHome.unpack(directory.resolve("wildfly"));
        tasktube = ServerHome.unpack(Path.of(System.getProperty("tasktube.wildfly")), directory.resolve("tasktube"));
    }

    @Test
    void a_stopped_server_is_restored_after_a_failure_at_each_line() throws Exception {
        assertRestored("stopped", "embed-server --jboss-home=" + home + " --std-out=discard", ".*", FullRun.size(4, 1));
    }

    /** Some lines only, because each costs three reloads. */
    @Test
    void a_running_server_is_restored_after_a_failure_before_and_after_its_reload() throws Exception {
        try (WildFly server = new WildFly(home, Servers.options().node("running"))) {
            server.start();
            assertRestored(
                    "running",
                    "connect remote+http://127.0.0.1:" + server.managementPort(),
                    "module add .*|reload|deploy tasktube-timers.jar.*|deploy --force tasktube.rar.*",
                    FullRun.size(2, 1));
        }
    }

    private static void assertRestored(String node, String begin, String lines, int oneOf) throws Exception {
        Path output = TARGET.resolve("each-line-" + node + ".txt");
        Process process = program(node, begin, lines, oneOf)
                .directory(tasktube.toFile())
                .redirectOutput(output.toFile())
                .redirectError(TARGET.resolve("each-line-" + node + ".log").toFile())
                .start();
        try {
            assertThat(process.waitFor(8, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).withFailMessage(() -> read(output)).isZero();
        assertThat(output).content().contains("as before: ");
    }

    private static ProcessBuilder program(String node, String begin, String lines, int oneOf)
            throws URISyntaxException {
        Path base = new WildFly(home, Servers.options().node(node))
                .configuration()
                .getParent()
                .getParent();
        Path here = Path.of(EachLine.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(ServerOptions.SHORT_LIVED);
        command.addAll(List.of(
                "-Djboss.server.base.dir=" + base,
                "-cp",
                here + File.pathSeparator + CliSession.classPath(home),
                EachLine.class.getName(),
                begin,
                lines,
                Integer.toString(oneOf),
                Long.toString(FullRun.seed("lines.seed"))));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("JBOSS_HOME", home.toString());
        return builder;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
