package org.tasktube.itest.chaos;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.trouble.Servers;

import static org.assertj.core.api.Assertions.assertThat;

/** Two servers get a newer adapter with other tables, one after the other, while callers go on. */
@Tag("chaos")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("full")
class UpgradeIT {

    private static final Path DIRECTORY = Servers.directory("upgrade");
    private static final String SQL = "org/tasktube/store/sql/";

    /** It is some seconds. How many, the machine decides, which writes the log of all refused callers meanwhile. */
    private static final Duration MOST_WITHOUT = Duration.ofMinutes(1);

    @Test
    void servers_are_upgraded_one_by_one_and_nothing_is_lost() throws Exception {
        try (Cluster cluster = new Cluster(DIRECTORY)) {
            cluster.start();
            Traffic traffic = new Traffic(cluster);
            traffic.start();
            long version = version(cluster);
            Path rar = newer(version);
            Instant begun = Instant.now();

            WildFly first = cluster.server(0);
            first.terminate();
            replace(first, rar);
            CompletableFuture<String> waits = first.log().next("TASKTUBE0101");
            first.start();
            assertThat(waits.get(1, TimeUnit.MINUTES))
                    .contains("wait for their migration to version " + (version + 1) + " until server server-1");
            Instant waiting = Instant.now();
            Eventually.holds(() -> doneBy(cluster, 1, waiting) > 100, "the other one works on with the older tables");
            assertThat(version(cluster)).isEqualTo(version);

            WildFly second = cluster.server(1);
            CompletableFuture<String> runs = first.log().next("TASKTUBE0100");
            Instant stopped = Instant.now();
            second.terminate();
            runs.get(1, TimeUnit.MINUTES);
            assertThat(version(cluster)).isEqualTo(version + 1);
            Eventually.holds(() -> doneBy(cluster, 0, stopped) > 0, "the first one works with the newer tables");
            Duration without = Duration.between(stopped, Instant.now());
            replace(second, rar);
            second.start();
            cluster.awaitWork(Instant.now());
            Instant ended = Instant.now();
            TimeUnit.SECONDS.sleep(1);
            traffic.drain();
            System.out.println(
                    "the upgrade took " + Duration.between(begun, ended).toSeconds()
                            + " s, and callers were without a server for " + without.toMillis() + " ms");

            // When the second one has stopped, the first one starts while no other is up
            List<Inflicted> faults = List.of(
                    new Inflicted(Fault.SIGTERM, begun, ended, Duration.ZERO, Map.of()),
                    new Inflicted(Fault.KILL_OF_BOTH_SERVERS, stopped, stopped.plus(without), Duration.ZERO, Map.of()));
            List<String> wrong = new Checker(cluster, faults).check(traffic);
            wrong.addAll(cluster.journals().overlaps(faults));
            assertThat(wrong).isEmpty();
            assertThat(without).isLessThan(MOST_WITHOUT);
        }
    }

    private static long version(Cluster cluster) {
        return cluster.number("SELECT version FROM tasktube_schema");
    }

    private static long doneBy(Cluster cluster, int server, Instant since) {
        return cluster.number("SELECT count(*) FROM lane_done WHERE server = '" + Cluster.name(server) + "' AND at > '"
                + since + "'");
    }

    /** Replaces the adapter of a server that is stopped, and lets it migrate. */
    private static void replace(WildFly server, Path rar) {
        server.cli(
                "deploy --force --name=tasktube.rar " + rar,
                "/subsystem=resource-adapters/resource-adapter=tasktube.rar/config-properties=migrate:remove",
                "/subsystem=resource-adapters/resource-adapter=tasktube.rar/config-properties=migrate:add(value=true)");
    }

    /** The adapter of this build, with tables that have one more column. */
    private static Path newer(long version) throws IOException {
        Path rar = DIRECTORY.resolve("newer.rar").toAbsolutePath();
        Path jar = DIRECTORY.resolve("newer.jar").toAbsolutePath();
        Files.copy(DIRECTORY.resolve("server-0/tasktube/tasktube.rar"), rar);
        try (FileSystem archive = opened(rar);
                Stream<Path> files = Files.list(archive.getPath("/"))) {
            Path adapter = files.filter(file -> file.getFileName().toString().startsWith("tasktube-ra-"))
                    .findFirst()
                    .orElseThrow();
            Files.copy(adapter, jar);
            change(jar, version);
            Files.copy(jar, adapter, StandardCopyOption.REPLACE_EXISTING);
        }
        return rar;
    }

    private static FileSystem opened(Path zip) throws IOException {
        return FileSystems.newFileSystem(URI.create("jar:" + zip.toUri()), Map.of());
    }

    private static void change(Path jar, long version) throws IOException {
        String step = "ALTER TABLE tasktube_task ADD COLUMN novelty integer;\n";
        try (FileSystem archive = opened(jar)) {
            Path sql = archive.getPath(SQL);
            Files.writeString(sql.resolve("migration/versions.txt"), version + 1 + "\n", StandardOpenOption.APPEND);
            Files.writeString(sql.resolve("migration/postgresql-" + version + "-" + (version + 1) + ".sql"), step);
        }
    }
}
