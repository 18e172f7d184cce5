package org.tasktube.itest.kit;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.itest.kit.CliProgram.Outcome;
import org.tasktube.itest.kit.CliProgram.Script;

/**
 * jboss-cli in a process that stays for the scripts to come: most of a script's time is a start of Java and, with an
 * embedded server, the loading of its classes. There is one for each working directory, which relative paths in
 * scripts start from.
 */
final class WarmCli {

    private static final Duration START = Duration.ofMinutes(1);
    private static final Map<Installation, WarmCli> STARTED = new ConcurrentHashMap<>();

    private final Process process;
    private final Socket socket;
    private final ObjectOutputStream questions;
    private final ObjectInputStream answers;

    /** The file's key distinguishes a server that was unpacked anew over another. */
    private record Installation(Path home, Path directory, Object clientKey) {

        static Installation of(Path home, Path directory) throws IOException {
            Object key = Files.readAttributes(CliSession.client(home), BasicFileAttributes.class)
                    .fileKey();
            return new Installation(home, directory, key);
        }
    }

    private WarmCli(Installation installation) {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout((int) START.toMillis());
            process = Orphans.adopt(start(installation, server.getLocalPort()));
            socket = server.accept();
            questions = new ObjectOutputStream(socket.getOutputStream());
            answers = new ObjectInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Process start(Installation installation, int port) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.add("-Xmx256m");
        command.addAll(ServerOptions.SHORT_LIVED);
        command.addAll(List.of(
                "-cp", CliSession.classPath(installation.home), CliProgram.class.getName(), Integer.toString(port)));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(installation.directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JBOSS_HOME", installation.home.toString());
        return builder.start();
    }

    static Outcome run(Path home, Path directory, Script script, Duration patience) throws IOException {
        Installation installation = Installation.of(home, directory);
        WarmCli cli = STARTED.compute(
                installation, (key, old) -> old != null && old.process.isAlive() ? old : new WarmCli(key));
        return cli.run(script, patience);
    }

    /** One that did not answer in time is of no use any more. */
    private synchronized Outcome run(Script script, Duration patience) {
        try {
            socket.setSoTimeout((int) patience.toMillis());
            questions.writeObject(script);
            questions.flush();
            return (Outcome) answers.readObject();
        } catch (IOException | ClassNotFoundException e) {
            process.destroyForcibly();
            throw new IllegalStateException(
                    "jboss-cli did not end within " + patience + ": " + lastOf(script.lines()), e);
        }
    }

    private static String lastOf(List<String> lines) {
        return lines.get(lines.size() - 1);
    }
}
