package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tasktube.Task;
import org.tasktube.TubeDefinition;
import org.tasktube.store.Change;
import org.tasktube.store.ClaimRange;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transition;
import org.tasktube.testing.Calls;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * PostgreSQL is killed between the claims for a bean, which do not wait for its disk, and their acks, which do. Each run
 * kills it a few times, and {@code -Dtest.kills=100} often, in four minutes.
 */
@Tag("full")
class KilledDatabaseTest {

    private static final int KILLS = Integer.getInteger("test.kills", 4);
    private static final int TASKS = 32;
    private static final int ACKED = 16;
    private static final int MOST_MILLIS = 10;
    private static final int PATIENCE_SECONDS = 60;

    private final Holder bean = new Holder(UUID.randomUUID(), 1, Optional.of("bean"));
    private final Random random = new Random(1);

    @TempDir
    private Path data;

    private int port;
    private long token;
    private EmbeddedPostgres postgres;
    private HikariDataSource database;
    private OpenStore open;
    private StoredTube tube;

    @AfterEach
    void stop() throws IOException {
        database.close();
        postgres.close();
    }

    @Test
    void a_kill_may_undo_claims_and_no_put_and_no_ack() throws Exception {
        start();
        tube = open.registry()
                .createTube(TubeDefinition.of("t", TubeDefinition.FIFOTTL), false)
                .orElseThrow();
        int undone = 0;
        for (int kills = 0; kills < KILLS; kills += 2) {
            List<Long> put = open.tasks()
                    .put(
                            tube,
                            Stream.generate(() -> TaskToPut.of("x").build())
                                    .limit(TASKS)
                                    .toList())
                    .ids();
            claim();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MOST_MILLIS)));
            killAndStart();
            assertThat(ids("true")).as("after a kill behind the claim").containsExactlyElementsOf(put);
            undone += allOrNone(ids("state = 'r' AND attempts = 0").size());
            open.tasks().applyToAll(tube, Change.of(Transition.RELEASE_ALL), false);

            List<Task> claimed = claim();
            for (Task task : claimed.subList(0, ACKED)) {
                assertThat(Calls.ack(open.tasks(), tube, bean, task)).isTrue();
            }
            killAndStart();
            List<Long> left = put.subList(ACKED, TASKS);
            assertThat(ids("true")).as("after a kill behind acks").containsExactlyElementsOf(left);
            assertThat(ids("state = 't'"))
                    .as("the claim is in the log before its acks")
                    .containsExactlyElementsOf(left);
            open.tasks().applyToAll(tube, Change.of(Transition.TRUNCATE), false);
        }
        assertThat(undone).as("claims that were not on the disk yet").isPositive();
    }

    private List<Task> claim() {
        token++;
        List<Task> claimed = open.tasks().claim(tube, bean, token, ClaimRange.of(OrderKey.START, TASKS)).stream()
                .map(ClaimedTask::task)
                .toList();
        assertThat(claimed).hasSize(TASKS);
        return claimed;
    }

    /** A claim is one transaction. */
    private static int allOrNone(int undone) {
        assertThat(undone).isIn(0, TASKS);
        return undone / TASKS;
    }

    private List<Long> ids(String condition) throws Exception {
        return new Sql(database).numbers("SELECT id FROM tasktube_task WHERE " + condition + " ORDER BY id");
    }

    private void killAndStart() throws Exception {
        open.close();
        List<ProcessHandle> processes = processes();
        processes.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle process : processes) {
            process.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        database.close();
        postgres.close();
        start();
    }

    /** The first one starts the others. */
    private List<ProcessHandle> processes() throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).get(0));
        ProcessHandle first = ProcessHandle.of(pid).orElseThrow();
        return Stream.concat(Stream.of(first), first.descendants()).toList();
    }

    private void start() throws Exception {
        postgres = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPort(port)
                .setPGStartupWait(Duration.ofSeconds(PATIENCE_SECONDS))
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .start();
        port = postgres.getPort();
        database = TestDatabase.connect(postgres.getJdbcUrl("postgres", "postgres"), "postgres");
        open = SqlStores.open(database, true, () -> {});
    }
}
