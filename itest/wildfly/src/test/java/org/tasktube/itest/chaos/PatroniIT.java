package org.tasktube.itest.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.EnabledIf;
import org.tasktube.itest.trouble.Servers;
import org.tasktube.itest.watchdog.Tool;

import static org.assertj.core.api.Assertions.assertThat;

/** The database of docs/scale.md: Patroni decides which node leads, and nobody tells the servers. */
@Tag("chaos")
@Tag("full")
@EnabledIf("hasPatroni")
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class PatroniIT {

    private static final int LOAD_SECONDS = 4;

    private final List<Inflicted> faults = new ArrayList<>();
    private Instant thawed;

    static boolean hasPatroni() {
        return Tool.PATRONI.isThere();
    }

    private interface Inflicting {
        void on(Patroni patroni, int leader) throws IOException, InterruptedException;
    }

    @Test
    void a_leader_that_is_switched_over_or_killed_or_frozen_loses_nothing() throws Exception {
        Path directory = Servers.directory("patroni");
        try (Patroni patroni = new Patroni(directory.resolve("databases"))) {
            patroni.start();
            try (Cluster cluster = Cluster.on(directory, patroni.url())) {
                cluster.start();
                Traffic traffic = new Traffic(cluster);
                traffic.start();
                inflict("switched over", cluster, patroni, (databases, leader) -> databases.switchOver());
                inflict("killed", cluster, patroni, (databases, leader) -> {
                    databases.kill(leader);
                    databases.awaitLeaderBut(leader);
                    databases.start(leader);
                });
                inflict("frozen", cluster, patroni, (databases, leader) -> {
                    databases.freeze(leader);
                    databases.awaitLeaderBut(leader);
                    cluster.awaitWork(Instant.now());
                    TimeUnit.SECONDS.sleep(LOAD_SECONDS);
                    thawed = Instant.now();
                    databases.thaw(leader);
                });
                System.out.println(cluster.number("SELECT count(*) FROM lane_done") + " tasks, on average "
                        + cluster.number("SELECT count(*) / extract(epoch FROM max(at) - min(at)) FROM lane_done")
                        + " a second");
                traffic.drain();

                List<String> wrong = new Checker(cluster, faults).check(traffic);
                wrong.removeIf(this::isOldAnswer);
                wrong.addAll(cluster.journals().overlaps(faults));
                assertThat(wrong).isEmpty();
            }
        }
    }

    /**
     * Without a watchdog, a former leader that continues answers queries, and commits nothing, until its Patroni ends
     * it: who asks it does not find what is new.
     */
    private boolean isOldAnswer(String found) {
        return found.startsWith("gone before its time")
                && Instant.parse(found.substring(found.lastIndexOf(' ') + 1)).isAfter(thawed);
    }

    private void inflict(String what, Cluster cluster, Patroni patroni, Inflicting fault) throws Exception {
        TimeUnit.SECONDS.sleep(LOAD_SECONDS);
        int leader = patroni.awaitWhole();
        Instant begun = Instant.now();
        fault.on(patroni, leader);
        patroni.awaitWhole();
        Instant mended = Instant.now();
        Duration recovery = cluster.awaitWork(mended);
        TimeUnit.SECONDS.sleep(LOAD_SECONDS);
        long stood = cluster.number("SELECT 1000 * max(extract(epoch FROM gap)) FROM"
                + " (SELECT at - lag(at) OVER (ORDER BY at) AS gap FROM lane_done WHERE at > '"
                + begun.minusSeconds(1) + "') g");
        System.out.println("the leader was " + what + ": nothing was done for " + stood + " ms");
        faults.add(new Inflicted(Fault.KILL_OF_THE_DATABASE, begun, mended, recovery, Map.of()));
    }
}
