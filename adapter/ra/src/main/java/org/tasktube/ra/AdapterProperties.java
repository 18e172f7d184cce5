package org.tasktube.ra;

import jakarta.resource.spi.ConfigProperty;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/**
 * The properties of the resource adapter as the server sets them. All are text, because a server silently replaces an
 * unreadable number by the default. {@link Configuration} reads and checks them at the start.
 */
public abstract class AdapterProperties implements Serializable {

    static final String DEFAULT_DATASOURCE = "java:jboss/datasources/ExampleDS";
    static final String DEFAULT_MAX_DATA_SIZE = "1048576";
    static final String DEFAULT_POLL_INTERVAL = "1s";
    static final String DEFAULT_NOTIFY = "true";
    static final String DEFAULT_NODE_TIMEOUT = "10s";
    static final String DEFAULT_CREATE_TABLES = "true";
    static final String DEFAULT_MIGRATE = "auto";
    static final String DEFAULT_SESSION_TTR = "0s";
    static final String DEFAULT_AUDIT_RETENTION = "90d";
    static final String DEFAULT_DELIVERY_LOG_LINES = "0";
    static final String DEFAULT_GRAPHITE_PORT = "2003";
    static final String DEFAULT_GRAPHITE_PROTOCOL = "tcp";
    static final String DEFAULT_GRAPHITE_INTERVAL = "10s";

    private static final long serialVersionUID = 1;

    @ConfigProperty(
            defaultValue = DEFAULT_DATASOURCE,
            description = "The JNDI name of the JTA datasource that has the tasks; the applications' own, so that tasks"
                    + " and rows commit together")
    private String datasource = DEFAULT_DATASOURCE;

    @ConfigProperty(
            defaultValue = "",
            description = "The name of this server on the database; by default the server's own name")
    private String nodeName = "";

    @ConfigProperty(defaultValue = DEFAULT_MAX_DATA_SIZE, description = "The largest size of a task's data, in bytes")
    private String maxDataSize = DEFAULT_MAX_DATA_SIZE;

    @ConfigProperty(
            defaultValue = DEFAULT_POLL_INTERVAL,
            description = "The interval at which this server looks for tasks that other servers put")
    private String pollInterval = DEFAULT_POLL_INTERVAL;

    @ConfigProperty(
            defaultValue = DEFAULT_NOTIFY,
            description = "Whether servers notify each other by LISTEN and NOTIFY of PostgreSQL, beside their polls")
    private String notify = DEFAULT_NOTIFY;

    @ConfigProperty(
            defaultValue = DEFAULT_NODE_TIMEOUT,
            description = "The time after which a silent server counts as dead and its tasks are released")
    private String nodeTimeout = DEFAULT_NODE_TIMEOUT;

    @ConfigProperty(
            defaultValue = DEFAULT_CREATE_TABLES,
            description = "True to create missing tables; false if the database must not be changed by software")
    private String createTables = DEFAULT_CREATE_TABLES;

    @ConfigProperty(
            defaultValue = DEFAULT_MIGRATE,
            description =
                    "True to migrate tables of an older version; auto does so on H2, where no other server has them")
    private String migrate = DEFAULT_MIGRATE;

    @ConfigProperty(
            defaultValue = DEFAULT_SESSION_TTR,
            description = "The time for which a session without connections can be joined; then its tasks are released")
    private String sessionTtr = DEFAULT_SESSION_TTR;

    @ConfigProperty(
            defaultValue = DEFAULT_AUDIT_RETENTION,
            description = "The time for which rows of the audit are kept")
    private String auditRetention = DEFAULT_AUDIT_RETENTION;

    @ConfigProperty(
            defaultValue = DEFAULT_DELIVERY_LOG_LINES,
            description = "The most lines to keep of what is logged during a delivery; 0 for none")
    private String deliveryLogLines = DEFAULT_DELIVERY_LOG_LINES;

    @ConfigProperty(
            defaultValue = "",
            description = "The host that gets statistics by Graphite's plaintext protocol; by default none")
    private String graphiteHost = "";

    @ConfigProperty(defaultValue = DEFAULT_GRAPHITE_PORT, description = "The port of Graphite's plaintext protocol")
    private String graphitePort = DEFAULT_GRAPHITE_PORT;

    @ConfigProperty(defaultValue = DEFAULT_GRAPHITE_PROTOCOL, description = "The transport: tcp or udp")
    private String graphiteProtocol = DEFAULT_GRAPHITE_PROTOCOL;

    @ConfigProperty(
            defaultValue = "",
            description = "The beginning of all names in Graphite; by default tasktube and the server's name")
    private String graphitePrefix = "";

    @ConfigProperty(
            defaultValue = DEFAULT_GRAPHITE_INTERVAL,
            description = "The interval at which statistics are sent to Graphite")
    private String graphiteInterval = DEFAULT_GRAPHITE_INTERVAL;

    public String getDatasource() {
        return datasource;
    }

    public void setDatasource(String datasource) {
        this.datasource = datasource;
    }

    public String getNodeName() {
        return nodeName;
    }

    public void setNodeName(String nodeName) {
        this.nodeName = nodeName;
    }

    public String getMaxDataSize() {
        return maxDataSize;
    }

    public void setMaxDataSize(String maxDataSize) {
        this.maxDataSize = maxDataSize;
    }

    public String getPollInterval() {
        return pollInterval;
    }

    public void setPollInterval(String pollInterval) {
        this.pollInterval = pollInterval;
    }

    public String getNotify() {
        return notify;
    }

    public void setNotify(String notify) {
        this.notify = notify;
    }

    public String getNodeTimeout() {
        return nodeTimeout;
    }

    public void setNodeTimeout(String nodeTimeout) {
        this.nodeTimeout = nodeTimeout;
    }

    public String getSessionTtr() {
        return sessionTtr;
    }

    public void setSessionTtr(String sessionTtr) {
        this.sessionTtr = sessionTtr;
    }

    public String getAuditRetention() {
        return auditRetention;
    }

    public void setAuditRetention(String auditRetention) {
        this.auditRetention = auditRetention;
    }

    public String getDeliveryLogLines() {
        return deliveryLogLines;
    }

    public void setDeliveryLogLines(String deliveryLogLines) {
        this.deliveryLogLines = deliveryLogLines;
    }

    public String getGraphiteHost() {
        return graphiteHost;
    }

    public void setGraphiteHost(String graphiteHost) {
        this.graphiteHost = graphiteHost;
    }

    public String getGraphitePort() {
        return graphitePort;
    }

    public void setGraphitePort(String graphitePort) {
        this.graphitePort = graphitePort;
    }

    public String getGraphiteProtocol() {
        return graphiteProtocol;
    }

    public void setGraphiteProtocol(String graphiteProtocol) {
        this.graphiteProtocol = graphiteProtocol;
    }

    public String getGraphitePrefix() {
        return graphitePrefix;
    }

    public void setGraphitePrefix(String graphitePrefix) {
        this.graphitePrefix = graphitePrefix;
    }

    public String getGraphiteInterval() {
        return graphiteInterval;
    }

    public void setGraphiteInterval(String graphiteInterval) {
        this.graphiteInterval = graphiteInterval;
    }

    public String getCreateTables() {
        return createTables;
    }

    public void setCreateTables(String createTables) {
        this.createTables = createTables;
    }

    public String getMigrate() {
        return migrate;
    }

    public void setMigrate(String migrate) {
        this.migrate = migrate;
    }

    /**
     * Compares the configured values: the specification requires that two adapters with the same configuration are
     * equal.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof AdapterProperties that && properties().equals(that.properties());
    }

    @Override
    public int hashCode() {
        return properties().hashCode();
    }

    private List<String> properties() {
        return Arrays.asList(
                datasource,
                nodeName,
                maxDataSize,
                pollInterval,
                nodeTimeout,
                createTables,
                migrate,
                sessionTtr,
                auditRetention,
                deliveryLogLines,
                graphiteHost,
                graphitePort,
                graphiteProtocol,
                graphitePrefix,
                graphiteInterval);
    }
}
