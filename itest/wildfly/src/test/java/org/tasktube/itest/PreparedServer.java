package org.tasktube.itest;

import java.nio.file.Path;
import java.util.Map;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.tasktube.itest.kit.Datasource;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.ServerHome;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.TaskTubeZip;
import org.tasktube.itest.kit.WildFly;

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
        TaskTubeZip.configure(server, target, Map.of("tasktube.node-timeout", "2s"));
        System.setProperty("itest.home", home.toString());
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        if (postgres != null) {
            postgres.close();
        }
    }
}
