package org.tasktube.itest.kit;

import java.nio.file.Path;
import java.util.List;

/**
 * A JTA datasource over PostgreSQL. Immutable; each method returns a changed copy.
 *
 * @param name its name, and the last part of its JNDI name
 * @param statementCache prepared statements kept a connection; 0 keeps none, which is WildFly's default
 */
public record Datasource(String name, String url, String user, int minPoolSize, int maxPoolSize, int statementCache) {

    private static final String EXTENSIONS = "org.jboss.jca.adapters.jdbc.extensions.postgres.";

    /** A pool of 5 to 50 connections that keep 64 prepared statements each. */
    public static Datasource of(String name, Postgres postgres) {
        return new Datasource(name, postgres.url(), Postgres.USER, 5, 50, 64);
    }

    public Datasource poolSize(int min, int max) {
        return new Datasource(name, url, user, min, max, statementCache);
    }

    public Datasource statementCache(int value) {
        return new Datasource(name, url, user, minPoolSize, maxPoolSize, value);
    }

    public String jndiName() {
        return "java:jboss/datasources/" + name;
    }

    /** A server module for the driver, which nodes of one unpacked server share. Its name is where Hibernate looks. */
    static List<String> driverModule(Path driver) {
        return List.of("module add --name=org.postgresql.jdbc --resources=" + driver
                + " --dependencies=java.se,jakarta.transaction.api");
    }

    static List<String> driver() {
        return List.of("/subsystem=datasources/jdbc-driver=postgresql:add(driver-module-name=org.postgresql.jdbc)");
    }

    /**
     * The sorter distinguishes a lost connection from a refused statement; the first that is lost takes the idle ones
     * with it, as they are lost too. Validating each connection as it is borrowed would cost a round trip each time.
     */
    List<String> commands() {
        return List.of(String.join(
                "",
                "/subsystem=datasources/data-source=" + name + ":add(",
                "jndi-name=" + jndiName() + ",",
                "driver-name=postgresql,",
                "connection-url=\"" + url + "\",",
                "user-name=" + user + ",",
                "jta=true,",
                "min-pool-size=" + minPoolSize + ",",
                "max-pool-size=" + maxPoolSize + ",",
                "prepared-statements-cache-size=" + statementCache + ",",
                "background-validation=true,",
                "background-validation-millis=10000,",
                "flush-strategy=IdleConnections,",
                "valid-connection-checker-class-name=" + EXTENSIONS + "PostgreSQLValidConnectionChecker,",
                "exception-sorter-class-name=" + EXTENSIONS + "PostgreSQLExceptionSorter,",
                "statistics-enabled=true)"));
    }
}
