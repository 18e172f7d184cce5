package org.tasktube.itest.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jboss.dmr.ModelNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.trouble.Servers;
import org.tasktube.itest.watchdog.FullRun;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a server and its tables need stays the same under load. For the middle third of the time somebody else's
 * transaction keeps vacuum from removing dead rows. PostgreSQL looks for work of vacuum each second, and not each
 * minute: time is compressed.
 */
@Tag("chaos")
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("full")
class SteadyIT {

    private static final Path DIRECTORY = Servers.directory("steady");
    private static final int SECONDS = FullRun.size(45, 150);
    private static final int THIRD = SECONDS / 3;

    private static final long MORE_THREADS = 30;
    private static final long MORE_HANDLES = 60;
    private static final long MORE_HEAP = 64 << 20;

    private static final String OWN_TABLES =
            " FROM pg_stat_user_tables WHERE relname LIKE 'tasktube%'" + " AND relname <> 'tasktube_history'";

    private record Sample(long second, long deadRows, long bytes, long threads, long handles, long heap) {

        String csv() {
            return second + "," + deadRows + "," + bytes + "," + threads + "," + handles + "," + heap + "\n";
        }
    }

    private final List<Sample> samples = new ArrayList<>();

    @Test
    void tables_heap_threads_and_handles_stay_within_bounds() throws Exception {
        try (Cluster cluster = Cluster.wellBehaved(DIRECTORY)) {
            cluster.start();
            Traffic traffic = new Traffic(cluster);
            traffic.start();
            sample(cluster, THIRD);
            try (Connection holder = cluster.connect();
                    Statement statement = holder.createStatement()) {
                holder.setAutoCommit(false);
                holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                statement.execute("SELECT count(*) FROM lane_put");
                sample(cluster, THIRD);
            }
            sample(cluster, THIRD);
            long put = cluster.number("SELECT count(*) FROM lane_put");
            traffic.drain();
            report(put);
            assertThat(new Checker(cluster, List.of()).check(traffic)).isEmpty();
        }
        List<Sample> first = samples.subList(0, THIRD);
        List<Sample> held = samples.subList(THIRD, 2 * THIRD);
        List<Sample> last = samples.subList(samples.size() - THIRD / 2, samples.size());
        assertThat(most(held, Sample::deadRows)).isGreaterThan(most(first, Sample::deadRows));
        assertThat(least(last, Sample::deadRows)).isLessThan(most(held, Sample::deadRows) / 2);
        assertThat(most(last, Sample::bytes)).isLessThan(2 * most(held, Sample::bytes));
        assertThat(least(last, Sample::threads)).isLessThan(most(first, Sample::threads) + MORE_THREADS);
        assertThat(least(last, Sample::handles)).isLessThan(most(first, Sample::handles) + MORE_HANDLES);
        assertThat(least(last, Sample::heap)).isLessThan(least(first, Sample::heap) + MORE_HEAP);
    }

    private static long most(List<Sample> of, ToLongFunction<Sample> number) {
        return of.stream().mapToLong(number).max().orElseThrow();
    }

    private static long least(List<Sample> of, ToLongFunction<Sample> number) {
        return of.stream().mapToLong(number).min().orElseThrow();
    }

    /** Samples the tables and the first server once per second. */
    private void sample(Cluster cluster, int times) throws InterruptedException, IOException {
        WildFly server = cluster.server(0);
        for (int i = 0; i < times; i++) {
            TimeUnit.SECONDS.sleep(1);
            samples.add(new Sample(
                    samples.size(),
                    cluster.number("SELECT sum(n_dead_tup)" + OWN_TABLES),
                    cluster.number("SELECT sum(pg_total_relation_size(relid))" + OWN_TABLES),
                    server.read("thread-count", "core-service", "platform-mbean", "type", "threading")
                            .asLong(),
                    handles(server),
                    heap(server)));
        }
    }

    private static long handles(WildFly server) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
            return files.count();
        }
    }

    private static long heap(WildFly server) {
        ModelNode usage = server.read("heap-memory-usage", "core-service", "platform-mbean", "type", "memory");
        return usage.get("used").asLong();
    }

    private void report(long put) throws IOException {
        StringBuilder csv = new StringBuilder();
        samples.stream().map(Sample::csv).forEach(csv::append);
        Files.writeString(DIRECTORY.resolve("samples.csv"), csv);
        Sample worst =
                samples.stream().max(Comparator.comparing(Sample::deadRows)).orElseThrow();
        Sample last = samples.get(samples.size() - 1);
        System.out.println(put + " tasks put in " + Duration.ofSeconds(SECONDS) + "; dead rows: at most "
                + worst.deadRows + ", at the end " + last.deadRows + "; bytes of tables: at most "
                + most(samples, Sample::bytes) + "; threads: " + most(samples, Sample::threads) + "; handles: "
                + most(samples, Sample::handles) + "; heap after collections: "
                + least(samples.subList(0, THIRD), Sample::heap) + " to "
                + least(samples.subList(2 * THIRD, samples.size()), Sample::heap));
    }
}
