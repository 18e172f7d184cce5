package org.tasktube.metrics;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Where statistics are sent to.
 *
 * @param prefix what all names begin with
 * @param interval from one sending to the next
 */
public record GraphiteSettings(String host, int port, Protocol protocol, String prefix, Duration interval) {

    /** What carries the lines of Graphite's plaintext protocol. */
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
     * Returns the host if it can be one. It is not looked up: it need not be there yet.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static String checkHost(String host) {
        if (!NAME_OR_IPV4.matcher(host).matches() && !IPV6.matcher(host).matches()) {
            throw new IllegalArgumentException("takes a host's name or address, without protocol and port");
        }
        return host;
    }

    /**
     * Returns the prefix if Graphite can have it in a name.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static String checkPrefix(String prefix) {
        if (prefix.length() > LONGEST_PREFIX || !PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException("takes parts of letters, digits, _ and -, with a dot between them, at"
                    + " most " + LONGEST_PREFIX + " characters");
        }
        return prefix;
    }

    /** The prefix of a server for which none was set; its name is one part, whatever characters it has. */
    public static String defaultPrefix(String nodeName) {
        return "tasktube." + NOT_IN_A_PART.matcher(nodeName).replaceAll("_");
    }

    String address() {
        return host + ", port " + port + " (" + protocol.name().toLowerCase(Locale.ROOT) + ")";
    }
}
