package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What the mode of a tube costs in statements. */
class StatementsOfModesTest {

    private final List<String> sent = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @DatabaseSource
    void no_claim_is_sent_for_a_tube_that_is_known_as_paused(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(HookedDataSource.of(database, sent::add))) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            tube.put("a");
            tube.pause("inventory");
            sent.clear();
            assertThat(tube.take(Duration.ZERO)).isEmpty();
            assertThat(tube.take(Duration.ofMillis(20))).isEmpty();
            assertThat(claims()).isEmpty();
            tube.resume();
            assertThat(tube.take(Duration.ZERO)).isPresent();
            assertThat(claims()).hasSize(1);
        }
    }

    private List<String> claims() {
        return sent.stream().filter(text -> text.contains("taken_count + 1")).toList();
    }

    @ParameterizedTest
    @DatabaseSource
    void a_server_that_is_alone_sends_no_poll_for_a_tube_that_is_paused(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(HookedDataSource.of(database, sent::add))) {
            one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL).pause("inventory");
            one.withTemporary().newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            sent.clear();
            Eventually.holds(() -> heartbeats() >= 4, "some poll intervals are over");
            assertThat(polls()).isEmpty();
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void beside_another_server_the_mode_of_a_paused_tube_is_polled(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(HookedDataSource.of(database, sent::add), "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube paused = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Eventually.holds(() -> one.node().parts().deadServers().hasLivePeers(), "it sees the other server");
            assertThat(polls()).isEmpty();
            paused.pause("inventory");
            // Before the tube is resumed, because the server may learn of that by a new look at all tubes as well
            Eventually.holds(() -> !polls().isEmpty(), "it polls the mode of the paused tube");
            two.node().tube(new ClientConnection(), paused.name()).resume();
            paused.put("a");
            Eventually.holds(() -> paused.take(Duration.ZERO).isPresent(), "it learns that the tube is resumed");
        }
    }

    private List<String> polls() {
        return sent.stream()
                .filter(text -> text.contains("\nFROM tasktube_tube t WHERE id = ANY"))
                .toList();
    }

    private long heartbeats() {
        return sent.stream()
                .filter(text -> text.contains("UPDATE tasktube_node SET seen_at"))
                .count();
    }
}
