package org.tasktube.itest.trouble;

import java.nio.file.Path;
import java.util.List;
import org.tasktube.itest.ConfiguredHome;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.ServerHome;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.WildFly;

/** Fresh servers for tests that start, kill and starve them. */
public final class Servers {

    private Servers() {}

    /** Without what an earlier run left there. */
    public static Path directory(String name) {
        return ServerHome.cleared(Path.of(System.getProperty("target"), name));
    }

    /** Of a server on ports of this process of tests, of which several run at the same time. */
    public static ServerOptions options() {
        return ServerOptions.defaults()
                .portOffset(100 + 100 * Integer.getInteger("fork", 1))
                .shortLived();
    }

    /** With TaskTube on H2 in a file, each commit written before it returns: a kill of the process loses none. */
    static WildFly onH2File(Path directory) {
        String url =
                "jdbc:h2:async:" + directory.resolve("data").toAbsolutePath() + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE";
        return new WildFly(ConfiguredHome.H2.copyTo(directory, url), options());
    }

    public static WildFly onPostgres(Path directory, Postgres postgres) {
        return onPostgres(directory, postgres, options());
    }

    public static WildFly onPostgres(Path directory, Postgres postgres, ServerOptions options) {
        return new WildFly(ConfiguredHome.POSTGRESQL.copyTo(directory, postgres.url()), options);
    }

    /**
     * Returns the commands for a datasource that can prepare. It has a password, though the database needs none: without
     * one, WildFly disables the recovery.
     */
    static List<String> xaDatasource(String name, Postgres postgres) {
        String address = "/subsystem=datasources/xa-data-source=" + name;
        return List.of(
                "batch",
                address + ":add(jndi-name=java:jboss/datasources/" + name + ",driver-name=postgresql,"
                        + "xa-datasource-class=org.postgresql.xa.PGXADataSource,user-name=" + Postgres.USER
                        + ",password=any,max-pool-size=50)",
                address + "/xa-datasource-properties=URL:add(value=\"" + postgres.url() + "\")",
                "run-batch");
    }

    /** As WildFly is, but for the lines of docs/configuration.md by which it deploys and pools message-driven beans. */
    static WildFly stock(Path directory) {
        WildFly server = new WildFly(ServerHome.unpack(directory.resolve("wildfly")), options());
        server.cli(
                "/subsystem=ejb3:write-attribute(name=default-resource-adapter-name,value=tasktube.rar)",
                "/subsystem=ejb3/strict-max-bean-instance-pool=tasktube:add(max-pool-size=64)",
                "/subsystem=ejb3:write-attribute(name=default-mdb-instance-pool,value=tasktube)");
        return server;
    }

    static Path rar() {
        return Path.of(System.getProperty("tasktube.rar"));
    }
}
