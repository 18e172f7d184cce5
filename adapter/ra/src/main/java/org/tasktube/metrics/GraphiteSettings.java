package org.tasktube.metrics;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The destination of the statistics.
 *
 * @param host the host of Graphite
 * @param port the port, 1 to 65,535
 * @param protocol the transport
 * @param prefix the beginning of all names
 * @param interval the time between two transmissions
 */
public record GraphiteSettings(String host, int port, Protocol protocol, String prefix, Duration interval) {

    /** The transport of Graphite's plaintext protocol. */
    public enum Protocol {
        TCP,
        UDP
    }

    private static final int LONGEST_PREFIX = 200;
    private static final Pattern NAME_OR_IPV4 = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_.])?");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9]+)?");
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*");
    private static final Pattern NOT_IN_A_PART = Pattern.compile("[^A-Za-z0-9_-]");

    /**
     * Returns the host if it is a valid name. It is not looked up, because it may not exist yet.
     *
     * @throws IllegalArgumentException if it is not
     */
    public static String checkHost(String host) {
        if (!NAME_OR_IPV4.matcher(host).matches() && !IPV6.matcher(host).matches()) {
            throw new IllegalArgumentException("takes a host's name or address, without protocol and port");
        }
        return host;
    }

    /**
     * Returns the prefix if it is valid in Graphite's names.
     *
     * @throws IllegalArgumentException if it is not
     */
    public static String checkPrefix(String prefix) {
        if (prefix.length() > LONGEST_PREFIX || !PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException("takes parts of letters, digits, _ and -, with a dot between them, at"
                    + " most " + LONGEST_PREFIX + " characters");
        }
        return prefix;
    }

    /**
     * Returns the prefix of a server without a configured one. The server's name becomes one part, in any characters.
     */
    public static String defaultPrefix(String nodeName) {
        return "tasktube." + NOT_IN_A_PART.matcher(nodeName).replaceAll("_");
    }

    String address() {
        return host + ", port " + port + " (" + protocol.name().toLowerCase(Locale.ROOT) + ")";
    }
}
