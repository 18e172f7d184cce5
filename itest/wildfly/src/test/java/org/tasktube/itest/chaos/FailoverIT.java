package org.tasktube.itest.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.lanes.Lane;
import org.tasktube.itest.trouble.Servers;

import static org.assertj.core.api.Assertions.assertThat;

/** The database is killed under load, and its standby takes over. Nobody tells the servers. */
@Tag("chaos")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("full")
class FailoverIT {

    private static final int LOAD_SECONDS = 4;
    private static final int FROZEN_SECONDS = 5;

    /** Between the time of a commit and its place in the log, and between the log and the standby. */
    private static final Duration IN_FLIGHT = Duration.ofSeconds(2);

    @Test
    void with_synchronous_replication_a_failover_loses_no_commit_that_was_answered() throws Exception {
        try (Cluster cluster = started("failover-synchronous")) {
            cluster.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
            cluster.number("SELECT CASE WHEN pg_reload_conf() THEN 1 END");
            Eventually.holds(
                    () -> cluster.number("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1,
                    "replication is synchronous");
            Traffic traffic = new Traffic(cluster);
            traffic.start();
            TimeUnit.SECONDS.sleep(LOAD_SECONDS);
            cluster.replication().freeze();
            TimeUnit.SECONDS.sleep(1);
            int answered = answered(traffic);
            TimeUnit.SECONDS.sleep(1);
            assertThat(answered(traffic))
                    .as("no commit is answered that the standby lacks")
                    .isEqualTo(answered);
            List<Inflicted> faults = failOver(cluster);
            traffic.drain();

            List<String> wrong = new Checker(cluster, faults).check(traffic);
            wrong.addAll(cluster.journals().overlaps(faults));
            assertThat(wrong).isEmpty();
        }
    }

    @Test
    void without_it_a_failover_loses_the_commits_that_the_standby_lacked_and_no_other() throws Exception {
        try (Cluster cluster = started("failover-asynchronous")) {
            Traffic traffic = new Traffic(cluster);
            traffic.start();
            TimeUnit.SECONDS.sleep(LOAD_SECONDS);
            Instant frozen = Instant.now();
            cluster.replication().freeze();
            TimeUnit.SECONDS.sleep(FROZEN_SECONDS);
            List<Inflicted> faults = failOver(cluster);
            traffic.drain();

            List<String> wrong = new Checker(cluster, faults).checkRows();
            wrong.addAll(cluster.journals().overlaps(faults));
            assertThat(wrong).isEmpty();
            Map<String, Instant> former = puts(cluster.formerDatabase());
            Map<String, Instant> present = puts(cluster.postgres());
            assertThat(unknownAnswers(traffic, former, present)).isEmpty();
            assertThatTheLastAreLost(former, present, frozen);
        }
    }

    private static int answered(Traffic traffic) {
        return Arrays.stream(Lane.values())
                .filter(lane -> !lane.isTemporary())
                .mapToInt(lane -> traffic.committed(lane).cardinality())
                .sum();
    }

    private static Cluster started(String name) throws IOException {
        Path directory = Servers.directory(name);
        Cluster cluster = new Cluster(directory);
        try {
            cluster.replicate();
            cluster.start();
            return cluster;
        } catch (IOException | RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    private static List<Inflicted> failOver(Cluster cluster) throws InterruptedException {
        Instant begun = Instant.now();
        cluster.failOver();
        Instant mended = Instant.now();
        Duration recovery = cluster.awaitWork(mended);
        System.out.println("the standby took over in "
                + Duration.between(begun, mended).toMillis() + " ms; both servers worked " + recovery.toMillis()
                + " ms later");
        TimeUnit.SECONDS.sleep(LOAD_SECONDS);
        return List.of(new Inflicted(Fault.KILL_OF_THE_DATABASE, begun, mended, recovery, Map.of()));
    }

    /** Returns the time of the commit of each put in a database. */
    private static Map<String, Instant> puts(Postgres postgres) throws SQLException {
        try (Connection connection = DriverManager.getConnection(postgres.url(), Postgres.USER, "");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT lane || ' ' || number, pg_xact_commit_timestamp(xmin) FROM lane_put")) {
            Map<String, Instant> puts = new HashMap<>();
            while (row.next()) {
                puts.put(row.getString(1), row.getTimestamp(2).toInstant());
            }
            return puts;
        }
    }

    /** Returns the puts that were answered as committed, and that no database has. */
    private static List<String> unknownAnswers(
            Traffic traffic, Map<String, Instant> former, Map<String, Instant> present) {
        List<String> unknown = new ArrayList<>();
        for (Lane lane : Lane.values()) {
            if (lane.putsWhatIsAsked()) {
                traffic.committed(lane).stream()
                        .mapToObj(number -> lane + " " + number)
                        .filter(put -> !former.containsKey(put) && !present.containsKey(put))
                        .forEach(unknown::add);
            }
        }
        return unknown;
    }

    private static void assertThatTheLastAreLost(
            Map<String, Instant> former, Map<String, Instant> present, Instant frozen) {
        Map<String, Instant> lost = new HashMap<>(former);
        lost.keySet().removeAll(present.keySet());
        Map<String, Instant> kept = new HashMap<>(former);
        kept.keySet().retainAll(present.keySet());
        System.out.println(lost.size() + " puts are lost, and " + kept.size() + " kept");
        assertThat(lost).isNotEmpty();
        Instant firstLost = first(lost.values());
        assertThat(firstLost).isAfter(frozen.minus(IN_FLIGHT));
        assertThat(kept.values()).allSatisfy(commit -> assertThat(commit).isBefore(firstLost.plus(IN_FLIGHT)));
    }

    private static Instant first(Collection<Instant> times) {
        return times.stream().min(Instant::compareTo).orElseThrow();
    }
}
