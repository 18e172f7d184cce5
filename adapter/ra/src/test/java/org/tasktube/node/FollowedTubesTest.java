package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The management of a server learns of each tube that comes and goes. */
@Timeout(60)
class FollowedTubesTest {

    private final ClientConnection connection = new ClientConnection();
    private final AtomicReference<Set<String>> tubes = new AtomicReference<>(Set.of());

    private Node followed(RunningNode running) {
        Node node = running.node();
        node.followTubes(() -> tubes.set(node.tubeNames()));
        return node;
    }

    private void awaitTubes(String... names) {
        Eventually.holds(() -> tubes.get().equals(Set.of(names)), "the tubes " + List.of(names));
    }

    @ParameterizedTest
    @EnumSource
    void a_tube_comes_with_its_creation_and_goes_with_its_drop(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database)) {
            running.node().createTube(connection, TubeDefinition.fifo("before"));
            Node node = followed(running);
            awaitTubes("before");
            Tube orders = node.createTube(connection, TubeDefinition.fifo("orders"));
            node.createTube(connection, TubeDefinition.fifo("memory").asTemporary());
            awaitTubes("before", "orders", "memory");
            orders.drop();
            node.tube(connection, "memory").drop();
            awaitTubes("before");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tube_comes_at_once_and_goes_with_the_commit_only(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            Node node = followed(running);
            Jta.MANAGER.begin();
            node.createTube(connection, TubeDefinition.fifo("orders"));
            awaitTubes("orders");
            Jta.MANAGER.rollback();
            awaitTubes("orders");

            Jta.MANAGER.begin();
            node.tube(connection, "orders").drop();
            assertThat(node.tubeNames()).containsExactly("orders");
            Jta.MANAGER.commit();
            awaitTubes();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "POSTGRESQL")
    void a_tube_of_another_server_comes_and_goes_too(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database, "one");
                RunningNode other = new RunningNode(database, "two")) {
            followed(running);
            Tube orders = other.node().createTube(connection, TubeDefinition.fifo("orders"));
            awaitTubes("orders");
            orders.drop();
            awaitTubes();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_take_that_waits_is_counted_until_it_ends(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database)) {
            Node node = running.node();
            Tube orders = node.createTube(connection, TubeDefinition.fifo("orders"));
            assertThat(node.waiting("orders")).isZero();
            CompletableFuture<Task> take = CompletableFuture.supplyAsync(
                    () -> orders.take(Duration.ofSeconds(30)).orElseThrow());
            Eventually.holds(() -> node.waiting("orders") == 1, "the take waits");
            orders.put("x");
            orders.ack(take.get());
            assertThat(node.waiting("orders")).isZero();
            assertThat(node.statistics("orders").orElseThrow().endedSinceStart())
                    .isEqualTo(1);
            assertThat(node.waiting("nowhere")).isZero();
            assertThat(node.statistics("nowhere")).isEmpty();
        }
    }
}
