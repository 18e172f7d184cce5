package org.tasktube.itest.kit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How a server is started. Immutable; each method returns a changed copy.
 *
 * @param node the name of the node, of at most 23 letters, and of its directory beside {@code standalone}, of which
 *     that is a copy; several nodes share one unpacked server so
 * @param portOffset added to each of the server's ports
 * @param javaOptions as {@code -Xmx1g} or {@code -Dname=value}; a later one wins
 * @param environment what the process has beside the environment of this one
 * @param patience how long a start, a stop or a command may take before it counts as failed
 */
public record ServerOptions(
        String node, int portOffset, List<String> javaOptions, Map<String, String> environment, Duration patience) {

    /**
     * Options of a Java that lives for minutes, with which a server takes half of the processor time to start. The best
     * compiler would cost more than it gives, and so would a check of classes that come from a compiler.
     */
    public static final List<String> SHORT_LIVED = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote");

    private static final ServerOptions DEFAULTS =
            new ServerOptions("standalone", 0, List.of("-Xms64m", "-Xmx512m"), Map.of(), Duration.ofMinutes(5));

    public ServerOptions {
        javaOptions = List.copyOf(javaOptions);
        environment = Map.copyOf(environment);
    }

    /** One server on WildFly's own ports with WildFly's own heap of 512 MiB. */
    public static ServerOptions defaults() {
        return DEFAULTS;
    }

    public ServerOptions node(String value) {
        return new ServerOptions(value, portOffset, javaOptions, environment, patience);
    }

    public ServerOptions portOffset(int value) {
        return new ServerOptions(node, value, javaOptions, environment, patience);
    }

    public ServerOptions javaOption(String value) {
        List<String> more = new ArrayList<>(javaOptions);
        more.add(value);
        return new ServerOptions(node, portOffset, more, environment, patience);
    }

    /** With {@link #SHORT_LIVED}. */
    public ServerOptions shortLived() {
        List<String> all = new ArrayList<>(javaOptions);
        all.addAll(SHORT_LIVED);
        return new ServerOptions(node, portOffset, all, environment, patience);
    }

    public ServerOptions environment(Map<String, String> value) {
        return new ServerOptions(node, portOffset, javaOptions, value, patience);
    }

    public ServerOptions patience(Duration value) {
        return new ServerOptions(node, portOffset, javaOptions, environment, value);
    }
}
