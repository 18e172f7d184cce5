package org.tasktube.itest.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.tasktube.admin.OperationAct;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.lanes.Lane;
import org.tasktube.itest.watchdog.Network;

/** What breaks, and how it is mended. */
enum Fault {
    KILL_OF_A_SERVER(true, (cluster, traffic, random) -> {
        WildFly server = any(cluster, random);
        server.kill();
        pause(random.nextInt(2_500));
        server.start();
    }),
    KILL_OF_BOTH_SERVERS(true, (cluster, traffic, random) -> {
        cluster.servers().forEach(WildFly::kill);
        for (WildFly server : cluster.servers()) {
            server.start();
        }
    }),
    KILL_OF_THE_DATABASE(true, (cluster, traffic, random) -> {
        cluster.postgres().kill();
        pause(random.nextInt(3_000));
        cluster.postgres().start();
    }),
    FROZEN_SERVER(true, (cluster, traffic, random) -> {
        WildFly server = any(cluster, random);
        server.freeze();
        pause(Fault.BEYOND_THE_TIMEOUT + random.nextInt(2_000));
        server.thaw();
    }),
    FROZEN_NETWORK(true, (cluster, traffic, random) -> {
        Network network = network(cluster, random);
        network.freeze();
        pause(Fault.BEYOND_THE_TIMEOUT + random.nextInt(2_000));
        network.thaw();
    }),
    CUT_NETWORK(true, (cluster, traffic, random) -> {
        Network network = network(cluster, random);
        network.cut();
        pause(random.nextInt(2 * Fault.BEYOND_THE_TIMEOUT));
        network.mend();
    }),
    LOST_ANSWERS_OF_COMMITS(true, (cluster, traffic, random) -> {
        for (int i = 0; i < 5; i++) {
            Network network = network(cluster, random);
            network.loseCommits(true);
            pause(random.nextInt(100));
            network.loseCommits(false);
            pause(300);
        }
    }),
    TERMINATED_BACKENDS(true, (cluster, traffic, random) -> {
        for (int i = 0; i < 3; i++) {
            cluster.number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
            pause(random.nextInt(1_000));
        }
    }),
    NO_CONNECTION_LEFT(true, (cluster, traffic, random) -> exhaust(cluster, random)),
    FULL_DISK(true, (cluster, traffic, random) -> {
        cluster.postgres().limitFiles(8 * 1024);
        pause(500 + random.nextInt(2_000));
        cluster.postgres().limitFiles(-1);
        cluster.reviveDatabase();
    }),
    CLOCK_STEP(true, (cluster, traffic, random) -> {
        Clock clock = cluster.clock(random.nextInt(Cluster.SERVERS));
        clock.step(Duration.ofSeconds(random.nextInt(7_200) - 3_600));
        pause(2_000);
        cluster.awaitWork(Instant.now());
        clock.step(Duration.ZERO);
        pause(1_500);
    }),
    HELD_HORIZON(false, (cluster, traffic, random) -> {
        try (Connection holder = cluster.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT count(*) FROM lane_put");
            pause(4_000 + random.nextInt(4_000));
        }
    }),
    SUSPEND(false, (cluster, traffic, random) -> {
        WildFly server = any(cluster, random);
        server.execute(WildFly.operation("suspend"));
        pause(random.nextInt(1_500));
        server.execute(WildFly.operation("resume"));
    }),
    RELOAD(true, (cluster, traffic, random) -> any(cluster, random).reload()),
    SIGTERM(true, (cluster, traffic, random) -> {
        WildFly server = any(cluster, random);
        server.terminate();
        server.start();
    }),
    REDEPLOY_OF_THE_APPLICATION(
            false, (cluster, traffic, random) -> any(cluster, random).redeploy(LaneWar.NAME)),
    REDEPLOY_OF_THE_ADAPTER(
            true, (cluster, traffic, random) -> any(cluster, random).redeploy("tasktube.rar")),
    ACTS_ON_MANY_TASKS(false, (cluster, traffic, random) -> {
        traffic.put(Lane.TTR, 2_000);
        traffic.act(Lane.TTR, OperationAct.BURY);
        pause(1_000);
        traffic.act(Lane.TTR, OperationAct.RETRY);
        traffic.act(Lane.TTR, OperationAct.RELEASE);
        pause(500);
    }),
    PAUSE(false, (cluster, traffic, random) -> {
        List<Lane> lanes = List.of(Lane.values());
        Lane lane = lanes.get(random.nextInt(lanes.size()));
        traffic.ask("pause", lane, "");
        pause(500 + random.nextInt(1_500));
        traffic.resume(lane);
    });

    /** In milliseconds; the servers' nodeTimeout is 2 s. */
    private static final int BEYOND_THE_TIMEOUT = 3_000;

    private final boolean mayEndHolders;

    @SuppressWarnings("ImmutableEnumChecker") // it is immutable; its type does not say so
    private final Infliction infliction;

    /** @param mayEndHolders whether a bean that works may lose its task by it, or its process end */
    Fault(boolean mayEndHolders, Infliction infliction) {
        this.mayEndHolders = mayEndHolders;
        this.infliction = infliction;
    }

    /** Breaks and mends. */
    private interface Infliction {
        void on(Cluster cluster, Traffic traffic, Random random) throws Exception;
    }

    boolean mayEndHolders() {
        return mayEndHolders;
    }

    /** Whether the database crashes, or a server starts while no other is up: both empty temporary tubes. */
    boolean mayEmptyTemporaryTubes() {
        return this == KILL_OF_THE_DATABASE || this == FULL_DISK || this == KILL_OF_BOTH_SERVERS;
    }

    /** Whether this machine can do it. */
    boolean isPossible() {
        return this != CLOCK_STEP || Clock.isThere();
    }

    /** Returns when it is mended. */
    void inflict(Cluster cluster, Traffic traffic, Random random) throws Exception {
        infliction.on(cluster, traffic, random);
    }

    private static WildFly any(Cluster cluster, Random random) {
        return cluster.server(random.nextInt(Cluster.SERVERS));
    }

    private static Network network(Cluster cluster, Random random) {
        return cluster.network(random.nextInt(Cluster.SERVERS));
    }

    /** Those of the servers are ended while others take each that is free: a server cannot connect again. */
    private static void exhaust(Cluster cluster, Random random) throws Exception {
        List<Connection> taken = new ArrayList<>();
        try (Connection killer = cluster.connect();
                Statement kill = killer.createStatement()) {
            fill(cluster, taken);
            kill.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                    + " AND application_name <> '" + Cluster.TESTS + "'");
            long end = System.nanoTime()
                    + Duration.ofMillis(1_000 + random.nextInt(3_000)).toNanos();
            while (System.nanoTime() - end < 0) {
                try {
                    taken.add(cluster.connect());
                } catch (SQLException e) {
                    pause(20); // All are taken; the next that is free is taken too
                }
            }
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    private static void fill(Cluster cluster, List<Connection> taken) {
        try {
            while (true) {
                taken.add(cluster.connect());
            }
        } catch (SQLException e) {
            return; // None is left
        }
    }

    private static void pause(int millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }
}
