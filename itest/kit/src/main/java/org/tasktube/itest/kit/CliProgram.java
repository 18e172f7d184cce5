package org.tasktube.itest.kit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A Java that runs one script of jboss-cli after the other, each in a session of its own, as {@link WarmCli} asks for
 * them.
 */
final class CliProgram {

    private CliProgram() {}

    /** A script: its lines, the system properties that it is to find, and how long it waits for a server. */
    record Script(List<String> lines, Map<String, String> properties, Duration patience) implements Serializable {}

    /** What a script wrote, and whether all of it succeeded. */
    record Outcome(boolean success, String output) implements Serializable {}

    /** The argument is the port of the process that asks. */
    public static void main(String... arguments) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
                ObjectOutputStream answers = new ObjectOutputStream(socket.getOutputStream());
                ObjectInputStream questions = new ObjectInputStream(socket.getInputStream())) {
            while (true) {
                answers.writeObject(run((Script) questions.readObject()));
                answers.flush();
            }
        } catch (IOException e) {
            // the process that asked has ended, and embedded servers leave threads
            System.exit(0);
        }
    }

    /** A script leaves nothing to the next one: an embedded server sets properties of this process. */
    private static Outcome run(Script script) {
        Properties before = (Properties) System.getProperties().clone();
        script.properties().forEach(System::setProperty);
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (CliSession session = new CliSession(output, script.patience())) {
            boolean success = script.lines().stream().map(String::strip).allMatch(session::execute);
            return new Outcome(success, output.toString(UTF_8));
        } catch (RuntimeException e) {
            return new Outcome(false, output.toString(UTF_8) + e + ": " + e.getCause());
        } finally {
            System.setProperties(before);
        }
    }
}
