package org.tasktube.itest.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.trouble.Servers;
import org.tasktube.itest.watchdog.FullRun;

import static org.assertj.core.api.Assertions.assertThat;

/** A server that stops or reloads in order leaves no task TAKEN. */
@Tag("chaos")
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("full")
class StopTimesIT {

    private static final Path DIRECTORY = Servers.directory("stop-times");
    private static final int TIMES = FullRun.size(2, 5);

    /** The rule is a second; beside another server that starts it can take longer. */
    private static final Duration MOST = Duration.ofSeconds(15);

    private static final int STOPPED = 1;

    @Test
    void a_server_that_stops_or_reloads_in_order_soon_leaves_nothing_TAKEN() throws Exception {
        try (Cluster cluster = Cluster.wellBehaved(DIRECTORY)) {
            cluster.start();
            Traffic traffic = new Traffic(cluster);
            traffic.start();
            traffic.slowDown();
            WildFly server = cluster.server(STOPPED);
            List<Duration> terms = new ArrayList<>();
            List<Duration> reloads = new ArrayList<>();
            for (int i = 0; i < TIMES; i++) {
                terms.add(released(cluster, server::terminate));
                server.start();
                cluster.awaitWork(Instant.now());
                reloads.add(released(cluster, server::reload));
                cluster.awaitWork(Instant.now());
            }
            traffic.drain();
            report("SIGTERM", terms);
            report(":reload", reloads);
            assertThat(Collections.max(terms)).isLessThan(MOST);
            assertThat(Collections.max(reloads)).isLessThan(MOST);
        }
    }

    private static void report(String what, List<Duration> times) {
        Collections.sort(times);
        System.out.println(what + ": nothing was TAKEN after, of " + times.size() + ": median "
                + times.get(times.size() / 2).toMillis() + " ms, worst "
                + times.get(times.size() - 1).toMillis() + " ms");
    }

    /** Returns the time from the begin of a stop until the server held nothing. */
    private static Duration released(Cluster cluster, Runnable stop) {
        long node = cluster.number(
                "SELECT id FROM tasktube_node WHERE NOT dead AND name = '" + Cluster.name(STOPPED) + "'");
        String taken = "SELECT count(*) FROM tasktube_task WHERE state = 't' AND node = " + node;
        // With the first call comes the connection, which takes longer than what is measured
        cluster.server(STOPPED).read("server-state");
        Eventually.holds(() -> cluster.number(taken) > 0, "it holds tasks");
        long begun = System.nanoTime();
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(stop);
        Eventually.holds(
                () -> cluster.number(taken) == 0
                        && cluster.number("SELECT count(*) FROM tasktube_node WHERE NOT dead AND id = " + node) == 0,
                "it holds none");
        Duration time = Duration.ofNanos(System.nanoTime() - begun);
        stopped.join();
        return time;
    }
}
