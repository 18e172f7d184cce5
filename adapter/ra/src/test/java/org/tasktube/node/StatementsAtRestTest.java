package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What a server costs the database while nothing happens. */
@Timeout(60)
class StatementsAtRestTest {

    private static final int BEATS = 10;
    private static final int WAITING = 50;

    private final List<String> sent = new CopyOnWriteArrayList<>();

    private static Settings settings(String name) {
        return new Settings(name, 1 << 20, Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ZERO);
    }

    private RunningNode counted(HikariDataSource database) {
        return new RunningNode(HookedDataSource.of(database, sent::add), Transactions.NONE, settings("counted"));
    }

    /** Returns the statements from the next heartbeat on, up to the given one after it. */
    private List<String> ofBeats(int beats) {
        sent.clear();
        Eventually.holds(() -> beats(sent) > beats, "the server beats");
        List<String> between = new ArrayList<>(sent);
        // H2 reads its clock by a statement of its own
        between.removeIf(text -> text.startsWith("CALL "));
        while (!isBeat(between.get(0))) {
            between.remove(0);
        }
        return between;
    }

    private static boolean isBeat(String text) {
        return text.contains("UPDATE tasktube_node SET seen_at");
    }

    private static long beats(List<String> statements) {
        return statements.stream().filter(StatementsAtRestTest::isBeat).count();
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void an_idle_server_sends_two_statements_per_heartbeat_and_some_per_minute(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = counted(database)) {
            one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            ofBeats(2);
            List<String> between = ofBeats(BEATS);
            assertThat(between)
                    .as("heartbeats, news, and a sweep")
                    .hasSizeLessThanOrEqualTo(2 * (int) beats(between) + 3);
        }
    }

    @Test
    @Tag("full")
    void beside_other_servers_fifty_waiting_takes_add_a_poll_per_interval_and_no_more() {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode other = new RunningNode(database, Transactions.NONE, settings("other"));
                RunningNode one = counted(database)) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            List<CompletableFuture<Task>> takes = new ArrayList<>();
            for (int i = 0; i < WAITING; i++) {
                takes.add(CompletableFuture.supplyAsync(tube::take, work -> new Thread(work).start()));
            }
            Eventually.holds(
                    () -> one.node().find(tube.name()).orElseThrow().takers().asleep() == WAITING, "all wait");
            Eventually.holds(() -> one.node().parts().deadServers().hasLivePeers(), "it sees the other server");
            // Of both tables each: one at the start, and one when the others have told what they had done by then
            Eventually.holds(
                    () -> sent.stream()
                                    .filter(text -> text.contains("SUM(tasks)"))
                                    .count()
                            >= 4,
                    "it has counted twice");
            ofBeats(2);
            List<String> between = ofBeats(BEATS);
            // Heartbeats and polls come each 200 ms here; polls vary by a tenth
            assertThat(between)
                    .as("heartbeats, polls, and a sweep")
                    .hasSizeLessThanOrEqualTo(2 * (int) beats(between) + 6);
            assertThat(between.stream().filter(text -> text.contains("ANY")).count())
                    .isGreaterThanOrEqualTo(BEATS / 2);
            for (int i = 0; i < WAITING; i++) {
                other.node().tube(new ClientConnection(), tube.name()).put("x");
            }
            takes.forEach(CompletableFuture::join);
        }
    }
}
