package org.tasktube.itest;

import java.nio.file.Path;
import java.util.Map;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.tasktube.itest.server.Datasource;
import org.tasktube.itest.server.Postgres;
import org.tasktube.itest.server.ServerHome;
import org.tasktube.itest.server.ServerOptions;
import org.tasktube.itest.server.WildFly;

/**
 * Before Arquillian starts its server: a fresh WildFly with TaskTube, on the database that the system property
 * {@code database} names. ExampleDS is H2 in memory as WildFly has it, or a PostgreSQL of this run's own.
 */
public final class PreparedServer implements LauncherSessionListener {

    private Postgres postgres;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        String database = System.getProperty("database");
        if (database == null) {
            return;
        }
        Path target = ServerHome.cleared(Path.of(System.getProperty("target"), database));
        Path home = ServerHome.unpack(target.resolve("wildfly"));
        WildFly server = new WildFly(home, ServerOptions.defaults());
        if (database.equals("postgresql")) {
            postgres = new Postgres(target.resolve("data"));
            postgres.start();
            server.cli("/subsystem=datasources/data-source=ExampleDS:remove");
            server.add(Datasource.of("ExampleDS", postgres));
        }
        configure(server, target);
        System.setProperty("itest.home", home.toString());
    }

    private static void configure(WildFly server, Path target) {
        Path scripts = ServerHome.unpack(Path.of(System.getProperty("tasktube.wildfly")), target.resolve("tasktube"));
        server.cli(scripts.resolve("configure.cli"), Map.of("tasktube.node-timeout", "2s"));
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        if (postgres != null) {
            postgres.close();
        }
    }
}
