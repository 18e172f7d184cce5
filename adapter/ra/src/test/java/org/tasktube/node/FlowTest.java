package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskFailure;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.Flow;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TubeFlow;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Change;
import org.tasktube.store.sql.Flow.Numbers;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The flow of tasks: each server adds its numbers, and a read shows those of all servers. */
@Timeout(60)
class FlowTest {

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Rules {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Rules {}

    abstract static class Rules {

        private final List<String> sent = new CopyOnWriteArrayList<>();
        private final ClientConnection connection = new ClientConnection();
        private HikariDataSource database;
        private RunningNode one;

        @BeforeEach
        void start() {
            database = TestDatabase.of(this).create();
            one = new RunningNode(HookedDataSource.of(database, sent::add), "one");
        }

        @AfterEach
        void stop() {
            one.close();
            database.close();
        }

        private static void write(RunningNode node) {
            node.node().parts().calls().call(() -> {
                node.node().parts().flow().run();
                return null;
            });
        }

        /** Makes the current bucket one that was over so many buckets ago. */
        private void age(int buckets) throws Exception {
            new Sql(database).execute("UPDATE tasktube_flow SET bucket = bucket - " + buckets);
        }

        private Flow flow(Duration back) {
            TaskAdmin admin = one.node().admin(connection);
            return admin.flow(back);
        }

        private static long sum(List<Long> numbers) {
            return numbers.stream().mapToLong(number -> number).sum();
        }

        private TubeFlow only() {
            List<TubeFlow> tubes = flow(Duration.ofMinutes(15)).tubes();
            assertThat(tubes).hasSize(1);
            return tubes.get(0);
        }

        private static void work(RunningNode node, Tube tube) {
            TubeEngine engine = node.node().find(tube.name()).orElseThrow();
            ClientConnection bean = ClientConnection.feeding();
            Task task = engine.claimOn(bean, 1, Long.MAX_VALUE).get(0);
            TaskFailure failure = new TaskFailure("shop.Timeout", "no answer", "");
            assertThat(engine.held().applyOutcome(bean.session(), task, Change.failed(failure, Optional.empty())))
                    .isTrue();
        }

        @Test
        void puts_ends_and_failed_deliveries_are_counted_in_the_bucket_in_which_they_happened() throws Exception {
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            for (int i = 0; i < 3; i++) {
                tube.put("x");
            }
            tube.put("first", PutOptions.defaults().asUrgent());
            tube.ack(tube.take(Duration.ZERO).orElseThrow());
            work(one, tube);
            write(one);
            age(1);
            TubeFlow flow = only();
            assertThat(flow.tube()).isEqualTo(tube.name());
            assertThat(flow.in()).hasSize(3);
            assertThat(List.of(sum(flow.in()), sum(flow.out()), sum(flow.failed())))
                    .containsExactly(4L, 1L, 1L);
            // At the very start of a bucket, the middle of the test is in the one before
            assertThat(flow.in().get(2) + flow.in().get(1)).isEqualTo(4);
        }

        @Test
        void a_ttr_that_is_over_is_a_failure() throws Exception {
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            tube.put("x", PutOptions.defaults().ttr(Duration.ofMillis(20)));
            assertThat(tube.take(Duration.ZERO)).isPresent();
            Eventually.holds(() -> tube.statistics().ready() == 1, "its ttr is over");
            write(one);
            age(1);
            assertThat(sum(only().failed())).isEqualTo(1);
        }

        @Test
        void a_bucket_that_is_not_over_is_not_shown() {
            one.newTube(connection, TubeDefinition.FIFOTTL).put("x");
            one.node().parts().calls().call(() -> {
                // Twice the time to the start of the bucket would be before it
                one.node().parts().access().own().flow().add(7, List.of(new Numbers(1, 1, 0, 0)), Duration.ZERO);
                return null;
            });
            assertThat(flow(Duration.ofMinutes(5)).tubes()).isEmpty();
        }

        @Test
        void each_write_is_one_statement_that_adds_what_is_new_and_none_if_nothing_happened() throws Exception {
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            Tube other = one.newTube(connection, TubeDefinition.FIFOTTL);
            tube.put("x");
            other.put("x");
            write(one);
            sent.clear();
            write(one);
            assertThat(writes()).isEmpty();
            tube.put("y");
            write(one);
            assertThat(writes()).hasSize(1).first().asString().contains("INTO tasktube_flow");
            age(1);
            assertThat(flow(Duration.ofMinutes(15)).tubes().stream().mapToLong(flow -> sum(flow.in())))
                    .containsExactlyInAnyOrder(2L, 1L);
        }

        private List<String> writes() {
            return sent.stream().filter(text -> text.contains("tasktube_flow")).toList();
        }

        @Test
        void a_write_that_failed_is_made_up_for_by_the_next_one() throws Exception {
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            new Sql(database).execute("ALTER TABLE tasktube_flow RENAME TO away");
            tube.put("x");
            assertThatThrownBy(() -> write(one)).hasMessageContaining("add to the flow of tasks");
            new Sql(database).execute("ALTER TABLE away RENAME TO tasktube_flow");
            tube.put("y");
            write(one);
            age(1);
            assertThat(sum(only().in())).isEqualTo(2);
        }

        @Test
        void the_numbers_of_all_servers_are_added() throws Exception {
            try (RunningNode two = new RunningNode(database, "two")) {
                Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
                tube.put("x");
                two.node().tube(new ClientConnection(), tube.name()).put("y");
                write(one);
                write(two);
                age(1);
                assertThat(sum(only().in())).isEqualTo(2);
            }
        }

        @Test
        void a_server_that_stops_writes_its_last_numbers() throws Exception {
            RunningNode two = new RunningNode(database, "two");
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            two.node().tube(new ClientConnection(), tube.name()).put("y");
            two.close();
            age(1);
            assertThat(sum(only().in())).isEqualTo(1);
        }

        @Test
        void temporary_tubes_have_a_flow_and_dropped_ones_have_none() throws Exception {
            Tube dropped = one.newTube(connection, TubeDefinition.FIFOTTL);
            Tube temporary = one.withTemporary().newTube(connection, TubeDefinition.FIFOTTL);
            dropped.put("x");
            temporary.put("x");
            write(one);
            age(1);
            dropped.truncate();
            dropped.drop();
            assertThat(only().tube()).isEqualTo(temporary.name());
        }

        @Test
        void rows_are_kept_for_25_hours() throws Exception {
            Tube tube = one.newTube(connection, TubeDefinition.FIFOTTL);
            tube.put("x");
            write(one);
            age(299);
            Sql sql = new Sql(database);
            one.node().parts().access().flow().forget();
            assertThat(sql.number("SELECT count(*) FROM tasktube_flow")).isEqualTo(1);
            age(3);
            one.node().parts().access().flow().forget();
            assertThat(sql.number("SELECT count(*) FROM tasktube_flow")).isZero();
        }

        @Test
        void a_read_begins_at_the_start_of_a_bucket() {
            Flow flow = flow(Duration.ofHours(1));
            assertThat(flow.from().toEpochMilli() % Flow.BUCKET.toMillis()).isZero();
            Instant end = flow.from().plus(Duration.ofHours(1));
            assertThat(Duration.between(end, flow.now())).isBetween(Duration.ZERO, Flow.BUCKET);
        }
    }
}
