package org.tasktube.ra;

import jakarta.resource.spi.InvalidPropertyException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.function.Function;
import org.tasktube.jca.Properties;
import org.tasktube.queue.Settings;

/** The adapter's properties, read and checked. */
record Configuration(String datasource, boolean createTables, Settings settings) {

    private static final int LARGEST_DATA = 256 * 1024 * 1024;

    static Configuration read(TaskTubeResourceAdapter adapter) throws InvalidPropertyException {
        Properties read = new Properties();
        Configuration configuration = new Configuration(
                read.text("datasource", adapter.getDatasource(), Function.identity()),
                read.flag("createTables", adapter.getCreateTables()),
                new Settings(
                        nodeName(adapter.getNodeName()),
                        read.number("maxDataSize", adapter.getMaxDataSize(), 1, LARGEST_DATA),
                        read.duration(
                                "pollInterval", adapter.getPollInterval(), Duration.ofMillis(10), Duration.ofHours(1)),
                        read.duration(
                                "nodeTimeout", adapter.getNodeTimeout(), Duration.ofSeconds(1), Duration.ofDays(1))));
        read.check();
        return configuration;
    }

    private static String nodeName(String configured) {
        if (configured != null && !configured.isBlank()) {
            return configured.strip();
        }
        String server = System.getProperty("jboss.node.name");
        return server != null ? server : hostName();
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unnamed";
        }
    }
}
