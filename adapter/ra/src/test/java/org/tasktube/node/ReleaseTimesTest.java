package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.PutOptions;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.itest.watchdog.FullRun;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.ChildJava;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What a killed process held is READY again soon after its timeout, whatever else is silent. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("full")
class ReleaseTimesTest {

    private static final int KILLS = FullRun.size(2, 10);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration MOST = TIMEOUT.plusSeconds(1);

    @Test
    void a_kill_leaves_nothing_TAKEN_a_second_after_the_timeout() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode other = other(database)) {
            assertThat(worst(database, other)).isLessThan(MOST);
        }
    }

    @Test
    void nor_does_one_beside_a_frozen_process_with_an_open_transaction() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode other = other(database)) {
            Tube tube = other.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Process frozen = holder(database, tube, "frozen", "transaction");
            try {
                assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(frozen.pid()))
                                .start()
                                .waitFor())
                        .isZero();
                assertThat(worst(database, other)).isLessThan(MOST);
                assertThat(new Sql(database).number("SELECT count(*) FROM tasktube_task WHERE state = 't'"))
                        .as("those that the frozen one has locked")
                        .isEqualTo(HolderChild.TASKS);
            } finally {
                frozen.destroyForcibly().waitFor();
            }
        }
    }

    private static RunningNode other(HikariDataSource database) {
        return new RunningNode(
                database,
                Transactions.NONE,
                new Settings("other", 1 << 20, Duration.ofMillis(100), TIMEOUT, Duration.ZERO));
    }

    /** Returns the longest time from a kill until nothing was TAKEN that the process held. */
    private static Duration worst(HikariDataSource database, RunningNode other) throws Exception {
        List<Duration> times = new ArrayList<>();
        for (int i = 0; i < KILLS; i++) {
            Tube tube = other.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Process holder = holder(database, tube, "killed-" + i, "nothing");
            long killed = System.nanoTime();
            holder.destroyForcibly();
            Eventually.holds(() -> taken(database, tube) == 0, "nothing is TAKEN");
            times.add(Duration.ofNanos(System.nanoTime() - killed));
            holder.waitFor();
            assertThat(tube.take(HolderChild.TASKS, Duration.ZERO)).hasSize(HolderChild.TASKS);
            tube.truncate();
        }
        Collections.sort(times);
        System.out.println("nothing was TAKEN after, of " + KILLS + " kills: median "
                + times.get(KILLS / 2).toMillis() + " ms, worst "
                + times.get(KILLS - 1).toMillis() + " ms");
        return times.get(KILLS - 1);
    }

    private static long taken(HikariDataSource database, Tube tube) {
        try {
            return new Sql(database)
                    .number("SELECT count(*) FROM tasktube_task WHERE state = 't' AND tube_id = (SELECT id FROM"
                            + " tasktube_tube WHERE name = '" + tube.name() + "')");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Process holder(HikariDataSource database, Tube tube, String name, String open) throws IOException {
        tube.putAll(Collections.nCopies(HolderChild.TASKS, "a"), PutOptions.defaults());
        Process process = ChildJava.of(
                        System.getProperty("java.class.path"),
                        HolderChild.class,
                        database.getJdbcUrl(),
                        database.getUsername(),
                        tube.name(),
                        name,
                        String.valueOf(TIMEOUT.toMillis()),
                        open)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder all = new StringBuilder();
        for (String line = out.readLine(); !"holds".equals(line); line = out.readLine()) {
            if (line == null) {
                throw new AssertionError("the process has ended: " + all);
            }
            all.append(line).append('\n');
        }
        return process;
    }
}
