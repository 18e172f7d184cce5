package org.tasktube.itest.trouble;

import java.nio.file.Path;
import java.util.Map;
import org.tasktube.itest.kit.Datasource;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.ServerHome;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.TaskTubeZip;
import org.tasktube.itest.kit.WildFly;

/** Fresh servers for tests that start, kill and starve them. */
public final class Servers {

    private Servers() {}

    /** Without what an earlier run left there. */
    public static Path directory(String name) {
        return ServerHome.cleared(Path.of(System.getProperty("target"), name));
    }

    private static WildFly fresh(Path directory) {
        Path home = ServerHome.unpack(directory.resolve("wildfly"));
        return new WildFly(home, ServerOptions.defaults().portOffset(200));
    }

    /** With TaskTube on H2 in a file, each commit written before it returns: a kill of the process loses none. */
    static WildFly onH2File(Path directory) {
        WildFly server = fresh(directory);
        server.cli(
                "/subsystem=datasources/data-source=ExampleDS:write-attribute(name=connection-url,value=\"jdbc:h2:async:"
                        + directory.resolve("data").toAbsolutePath() + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE\")");
        configure(server, directory);
        return server;
    }

    public static WildFly onPostgres(Path directory, Postgres postgres) {
        WildFly server = fresh(directory);
        server.cli("/subsystem=datasources/data-source=ExampleDS:remove");
        server.add(Datasource.of("ExampleDS", postgres));
        configure(server, directory);
        return server;
    }

    private static void configure(WildFly server, Path directory) {
        TaskTubeZip.configure(server, directory, Map.of("tasktube.node-timeout", "2s"));
    }

    /** As WildFly is, but for what it needs to deploy and pool message-driven beans. */
    static WildFly stock(Path directory) {
        WildFly server = fresh(directory);
        server.cli(
                "/subsystem=ejb3:write-attribute(name=default-resource-adapter-name,value=tasktube.rar)",
                "/subsystem=ejb3:write-attribute(name=default-mdb-instance-pool,value=mdb-strict-max-pool)");
        return server;
    }

    static Path rar() {
        return Path.of(System.getProperty("tasktube.rar"));
    }
}
