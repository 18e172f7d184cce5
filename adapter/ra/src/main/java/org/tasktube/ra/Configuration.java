package org.tasktube.ra;

import jakarta.resource.spi.InvalidPropertyException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.tasktube.jca.Properties;
import org.tasktube.metrics.GraphiteSettings;
import org.tasktube.node.Settings;
import org.tasktube.store.sql.SchemaSettings;

/** The adapter's properties, read and checked. */
record Configuration(String datasource, SchemaSettings schema, Optional<GraphiteSettings> graphite, Settings settings) {

    private static final int LARGEST_DATA = 256 * 1024 * 1024;
    private static final int LARGEST_PORT = 65_535;

    /** The length of the column in the database. */
    private static final int LONGEST_NODE_NAME = 255;

    private static final int LONGEST_AUDIT = 3_650;
    private static final int MOST_LINES = 1_000;

    static Configuration read(AdapterProperties adapter) throws InvalidPropertyException {
        Properties read = new Properties();
        Duration nodeTimeout =
                read.duration("nodeTimeout", adapter.getNodeTimeout(), Duration.ofSeconds(1), Duration.ofDays(1));
        Configuration configuration = new Configuration(
                read.text("datasource", adapter.getDatasource(), Function.identity()),
                new SchemaSettings(
                        read.flag("createTables", adapter.getCreateTables()),
                        read.choice("migrate", adapter.getMigrate(), SchemaSettings.Migrate.class),
                        nodeTimeout),
                graphite(read, adapter),
                new Settings(
                        read.text("nodeName", nodeName(adapter.getNodeName()), Configuration::checkNodeName),
                        read.number("maxDataSize", adapter.getMaxDataSize(), 1, LARGEST_DATA),
                        read.duration(
                                "pollInterval", adapter.getPollInterval(), Duration.ofMillis(10), Duration.ofHours(1)),
                        nodeTimeout,
                        read.duration("sessionTtr", adapter.getSessionTtr(), Duration.ZERO, Duration.ofDays(1)),
                        read.duration(
                                "auditRetention",
                                adapter.getAuditRetention(),
                                Duration.ofMinutes(1),
                                Duration.ofDays(LONGEST_AUDIT)),
                        read.flag("notify", adapter.getNotify()),
                        read.number("deliveryLogLines", adapter.getDeliveryLogLines(), 0, MOST_LINES)));
        read.check();
        return configuration;
    }

    /** Reads the properties of Graphite, even without a host, so that a wrong one shows before it is needed. */
    private static Optional<GraphiteSettings> graphite(Properties read, AdapterProperties adapter) {
        String host = adapter.getGraphiteHost();
        String prefix = adapter.getGraphitePrefix();
        GraphiteSettings settings = new GraphiteSettings(
                isSet(host) ? read.text("graphiteHost", host, GraphiteSettings::checkHost) : "",
                read.number("graphitePort", adapter.getGraphitePort(), 1, LARGEST_PORT),
                read.choice("graphiteProtocol", adapter.getGraphiteProtocol(), GraphiteSettings.Protocol.class),
                isSet(prefix)
                        ? read.text("graphitePrefix", prefix, GraphiteSettings::checkPrefix)
                        : GraphiteSettings.defaultPrefix(nodeName(adapter.getNodeName())),
                read.duration(
                        "graphiteInterval", adapter.getGraphiteInterval(), Duration.ofSeconds(1), Duration.ofHours(1)));
        return isSet(host) ? Optional.of(settings) : Optional.empty();
    }

    private static boolean isSet(String configured) {
        return configured != null && !configured.isBlank();
    }

    private static String nodeName(String configured) {
        if (isSet(configured)) {
            return configured.strip();
        }
        String server = System.getProperty("jboss.node.name");
        return server != null ? server : hostName();
    }

    private static String checkNodeName(String name) {
        if (name.length() > LONGEST_NODE_NAME || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("has " + name.length() + " characters or a NUL; it takes 1 to "
                    + LONGEST_NODE_NAME + " characters without NUL");
        }
        return name;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unnamed";
        }
    }
}
