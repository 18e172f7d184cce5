package org.tasktube.itest.chaos;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.tasktube.itest.trouble.Servers;
import org.tasktube.itest.watchdog.FullRun;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two servers and their database work while all that can break breaks, one kind of fault after another. Each put and
 * each ack commits together with a row of the application, and in the end the rows must agree.
 *
 * <p>{@code -Dchaos.seed=} inflicts the same faults again, and {@code -Dchaos.minutes=} says for how long.
 */
@Tag("chaos")
@Timeout(value = 3, unit = TimeUnit.HOURS, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("full")
class ChaosIT {

    private static final Path DIRECTORY = Servers.directory("chaos");
    private static final Duration TIME = Duration.ofMinutes(Long.getLong("chaos.minutes"));
    private static final Pattern LOG_ID = Pattern.compile("TASKTUBE[0-9]{4}");

    private final Random random = new Random(FullRun.seed("chaos.seed"));
    private final List<Inflicted> faults = new ArrayList<>();

    @Test
    void nothing_is_lost_doubled_out_of_order_or_left_over_whatever_breaks() throws Exception {
        try (Cluster cluster = new Cluster(DIRECTORY)) {
            cluster.start();
            Traffic traffic = new Traffic(cluster);
            traffic.start();
            breakAll(cluster, traffic);
            traffic.drain();
            Journals journals = cluster.journals();
            List<String> wrong = new Checker(cluster, faults).check(traffic);
            wrong.addAll(journals.overlaps(faults));
            String report = report(cluster, journals);
            Files.writeString(DIRECTORY.resolve("report.md"), report);
            Files.writeString(DIRECTORY.resolve(RecoveryPlot.CSV), RecoveryPlot.csv(faults));
            System.out.println(report);
            assertThat(wrong).isEmpty();
        }
    }

    /** Each kind once, in any order, however long that takes, and again until the time is over. */
    private void breakAll(Cluster cluster, Traffic traffic) throws Exception {
        long end = System.nanoTime() + TIME.toNanos();
        long kinds = Arrays.stream(Fault.values()).filter(Fault::isPossible).count();
        while (true) {
            List<Fault> order = new ArrayList<>(List.of(Fault.values()));
            Collections.shuffle(order, random);
            for (Fault fault : order) {
                if (System.nanoTime() - end > 0 && faults.size() >= kinds) {
                    return;
                }
                if (fault.isPossible()) {
                    inflict(fault, cluster, traffic);
                }
            }
        }
    }

    private void inflict(Fault fault, Cluster cluster, Traffic traffic) throws Exception {
        List<Integer> lines = lines(cluster);
        Instant begun = Instant.now();
        fault.inflict(cluster, traffic, random);
        Instant mended = Instant.now();
        Duration recovery = cluster.awaitWork(mended);
        TimeUnit.MILLISECONDS.sleep(random.nextInt(2_000));
        faults.add(new Inflicted(fault, begun, mended, recovery, ids(cluster, lines)));
        System.out.println(begun + " " + fault + ": mended after "
                + Duration.between(begun, mended).toMillis() + " ms, worked " + recovery.toMillis() + " ms later");
    }

    private static List<Integer> lines(Cluster cluster) {
        return cluster.servers().stream()
                .map(server -> server.log().lines().size())
                .toList();
    }

    private static Map<String, Long> ids(Cluster cluster, List<Integer> from) {
        Map<String, Long> ids = new TreeMap<>();
        for (int i = 0; i < Cluster.SERVERS; i++) {
            List<String> all = cluster.server(i).log().lines();
            for (String line : all.subList(from.get(i), all.size())) {
                Matcher id = LOG_ID.matcher(line);
                if (id.find()) {
                    ids.merge(id.group(), 1L, Long::sum);
                }
            }
        }
        return ids;
    }

    private String report(Cluster cluster, Journals journals) {
        Map<Fault, List<Inflicted>> kinds = new TreeMap<>();
        faults.forEach(fault ->
                kinds.computeIfAbsent(fault.fault(), kind -> new ArrayList<>()).add(fault));
        StringBuilder report = new StringBuilder();
        report.append(cluster.number("SELECT count(*) FROM lane_put") + " tasks put, "
                + cluster.number("SELECT count(*) FROM lane_done") + " done, " + journals.count()
                + " deliveries, " + faults.size() + " faults\n\n");
        report.append("| fault | times | works again after, ms: median, worst | lines of the log per fault |\n");
        report.append("| --- | --- | --- | --- |\n");
        kinds.forEach((kind, all) -> report.append(row(kind, all)));
        return report.toString();
    }

    private static String row(Fault kind, List<Inflicted> all) {
        List<Long> millis =
                all.stream().map(fault -> fault.recovery().toMillis()).sorted().toList();
        Map<String, Long> ids = new TreeMap<>();
        all.forEach(fault -> fault.lines().forEach((id, count) -> ids.merge(id, count, Long::sum)));
        StringBuilder lines = new StringBuilder();
        ids.forEach((id, count) -> lines.append(
                id.substring("TASKTUBE".length()) + "×" + Math.round(10.0 * count / all.size()) / 10.0 + " "));
        return "| " + RecoveryPlot.name(kind) + " | " + all.size() + " | "
                + millis.get(millis.size() / 2) + ", " + millis.get(millis.size() - 1) + " | "
                + lines.toString().strip() + " |\n";
    }
}
