package org.tasktube.itest;

import java.nio.file.Path;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.ServerHome;

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
        Path home;
        if (database.equals("postgresql")) {
            postgres = new Postgres(target.resolve("data"));
            postgres.start();
            home = ConfiguredHome.POSTGRESQL.copyTo(target, postgres.url());
        } else {
            home = ConfiguredHome.H2.copyTo(target);
        }
        System.setProperty("itest.home", home.toString());
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        if (postgres != null) {
            postgres.close();
        }
    }
}
