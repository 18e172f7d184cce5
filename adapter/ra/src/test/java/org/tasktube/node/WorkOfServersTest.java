package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.ClusterWork;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.TubeWork;
import org.tasktube.admin.TubeWork.Beans;
import org.tasktube.admin.TubeWork.Moved;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Outage;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Servers show each other their work with their heartbeats. */
@Timeout(60)
class WorkOfServersTest {

    private static Moved moved(RunningNode server, Tube tube) {
        return of(server, tube).map(TubeWork::moved).orElse(Moved.NONE);
    }

    private static Optional<TubeWork> of(RunningNode server, Tube tube) {
        return work(server).tubes().stream()
                .filter(work -> work.tube().equals(tube.name()))
                .findFirst();
    }

    private static ClusterWork work(RunningNode server) {
        return server.node().admin(new ClientConnection()).work();
    }

    private static void eventually(RunningNode server, Tube tube, Moved expected) {
        Eventually.holds(() -> moved(server, tube).equals(expected), expected + " and not " + moved(server, tube));
    }

    private static void moves(Tube tube, int count) {
        tube.putAll(java.util.Collections.nCopies(count, "x"), PutOptions.defaults());
        for (int i = 0; i < count; i++) {
            tube.ack(tube.take());
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void each_server_knows_the_work_of_all_and_counts_each_move_once(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Tube there = two.node().tube(new ClientConnection(), tube.name());
            Eventually.holds(
                    () -> work(one).recent().size() > 3 && work(two).recent().size() > 3, "they beat");
            moves(tube, 3);
            moves(there, 4);
            for (RunningNode server : List.of(one, two)) {
                eventually(server, tube, new Moved(7, 7, 0));
            }
            // Long enough that the tube leaves the lines, and comes again
            int quiet = work(one).recent().size();
            Eventually.holds(() -> work(one).recent().size() > quiet + 8, "some heartbeats");
            moves(there, 5);
            for (RunningNode server : List.of(one, two)) {
                eventually(server, tube, new Moved(12, 12, 0));
                assertThat(work(server).recent().stream()
                                .map(sample -> sample.tubes().getOrDefault(tube.name(), Moved.NONE))
                                .reduce(Moved.NONE, Moved::plus))
                        .as("the sum of the samples")
                        .isEqualTo(new Moved(12, 12, 0));
            }
        }
    }

    private interface Play {
        void play(HikariDataSource database, RunningNode one, Tube tube, Tube there) throws SQLException;
    }

    private static void besideAnother(TestDatabase kind, Play test) throws SQLException {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one");
                RunningNode two = new RunningNode(database, "two")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Tube there = two.node().tube(new ClientConnection(), tube.name());
            beat(one, 3);
            beat(two, 3);
            test.play(database, one, tube, there);
        }
    }

    /** Each server counts all tasks once a minute: this must not wait for that. */
    @ParameterizedTest
    @DatabaseSource
    void each_server_knows_the_tasks_by_state_after_the_next_heartbeats(TestDatabase kind) throws SQLException {
        besideAnother(kind, (database, one, tube, there) -> {
            Random random = new Random(11);
            for (int round = 0; round < 3; round++) {
                IntStream.range(0, 60).forEach(i -> act(random.nextBoolean() ? tube : there, random));
                Map<TaskState, Long> expected = inTable(database);
                for (Tube each : List.of(tube, there)) {
                    Eventually.holds(() -> tasks(each).equals(expected), expected + " are known");
                }
            }
        });
    }

    /** What a server has not told yet when another one counts, that one learns twice. */
    @ParameterizedTest
    @DatabaseSource
    void a_count_beside_another_server_changes_nothing_that_it_tells_later(TestDatabase kind) throws SQLException {
        besideAnother(kind, (database, one, tube, there) -> {
            for (long tasks = 100; tasks <= 500; tasks += 100) {
                long expected = tasks;
                putMany(there);
                Waiting.recount(one.node());
                Waiting.recount(one.node());
                beat(one, 8);
                Eventually.holds(() -> tube.statistics().ready() == expected, expected + " are known");
            }
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void what_no_server_tells_is_counted(TestDatabase kind) throws SQLException {
        besideAnother(kind, (database, one, tube, there) -> {
            tube.putAll(List.of("a", "b", "c"), PutOptions.defaults());
            new Sql(database).execute("DELETE FROM tasktube_task WHERE id > 1");
            Waiting.recount(one.node());
            there.putAll(List.of("d", "e"), PutOptions.defaults());
            Eventually.holds(() -> tube.statistics().ready() == 3, "one of the first, and those of the other server");
        });
    }

    private static void putMany(Tube tube) {
        tube.putAll(java.util.Collections.nCopies(100, "x"), PutOptions.defaults());
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_server_that_starts_knows_the_tasks_after_some_heartbeats(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode two = new RunningNode(database, "two")) {
            Tube there = two.newTube(new ClientConnection(), TubeDefinition.FIFO);
            for (long tasks = 100; tasks <= 300; tasks += 100) {
                long expected = tasks;
                putMany(there);
                try (RunningNode one = new RunningNode(database, "one")) {
                    beat(one, 10);
                    Eventually.holds(() -> ready(one, there) == expected, expected + " are known");
                }
            }
        }
    }

    @ParameterizedTest
    @DatabaseSource
    @Tag("full")
    void a_server_whose_database_was_away_counts_nothing_of_that_time_twice(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode two = new RunningNode(database, "two")) {
            Outage outage = new Outage(database);
            try (RunningNode one = new RunningNode(outage.source(), "one")) {
                Tube there = two.newTube(new ClientConnection(), TubeDefinition.FIFO);
                assertThat(one.node().find(there.name())).isPresent();
                beat(one, 3);
                there.put("before");
                beat(one, 4);
                outage.begin(true);
                one.awaitState(AdapterState.WAITING);
                putMany(there);
                beat(two, 3);
                outage.begin(false);
                one.awaitState(AdapterState.RUNNING);
                beat(one, 10);
                Eventually.holds(() -> ready(one, there) == 101, "101 are known");
            }
        }
    }

    private static void beat(RunningNode server, int times) {
        int before = work(server).recent().size();
        Eventually.holds(() -> work(server).recent().size() >= before + times, times + " heartbeats");
    }

    private static void act(Tube tube, Random random) {
        List<Task> put = tube.putAll(List.of("a", "b", "c"), PutOptions.defaults());
        Task task = tube.take();
        switch (random.nextInt(6)) {
            case 0 -> tube.ack(task);
            case 1 -> tube.bury(task);
            case 2 -> tube.release(task, ReleaseOptions.defaults().delay(Duration.ofHours(1)));
            case 3 -> tube.kick(2);
            case 4 -> tube.delete(put.get(2).id());
            default -> tube.release(task);
        }
    }

    private static long ready(RunningNode server, Tube tube) {
        return server.node().find(tube.name()).orElseThrow().statistics().ready();
    }

    private static Map<TaskState, Long> tasks(Tube tube) {
        TubeStatistics now = tube.statistics();
        return Map.of(
                TaskState.READY, now.ready(),
                TaskState.TAKEN, now.taken(),
                TaskState.DELAYED, now.delayed(),
                TaskState.BURIED, now.buried());
    }

    private static Map<TaskState, Long> inTable(HikariDataSource database) {
        return Map.of(
                TaskState.READY, inTable(database, 'r'),
                TaskState.TAKEN, inTable(database, 't'),
                TaskState.DELAYED, inTable(database, '~'),
                TaskState.BURIED, inTable(database, '!'));
    }

    private static long inTable(HikariDataSource database, char state) {
        try {
            return new Sql(database).number("SELECT count(*) FROM tasktube_task WHERE state = '" + state + "'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void the_beans_of_another_server_are_known_until_it_stops(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            try (RunningNode two = new RunningNode(database, "two")) {
                assertThat(two.node().find(tube.name())).isPresent();
                two.node().parts().work().beans(() -> Map.of(tube.name(), new Beans(1, 4, 2)));
                one.node().parts().work().beans(() -> Map.of(tube.name(), new Beans(1, 3, 1)));
                Eventually.holds(
                        () -> of(one, tube).map(TubeWork::beans).equals(Optional.of(new Beans(2, 7, 3))),
                        "those of both");
                List<ServerStatus> servers =
                        one.node().admin(new ClientConnection()).servers();
                assertThat(servers)
                        .filteredOn(server -> !server.isThis())
                        .singleElement()
                        .satisfies(server -> {
                            assertThat(server.working()).isEqualTo(Map.of(tube.name(), new Beans(1, 4, 2)));
                            assertThat(server.beans()).isEqualTo(Optional.<List<BeanStatus>>empty());
                        });
            }
            Eventually.holds(
                    () -> of(one, tube).map(TubeWork::beans).equals(Optional.of(new Beans(1, 3, 1))),
                    "those that are left");
        }
    }

    /** A line has 300 tubes at most, so that tubes leave it and come again while they have work. */
    @Test
    @Tag("full")
    void no_move_is_counted_twice_if_more_tubes_work_than_a_line_has() {
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode one = new RunningNode(database, "one")) {
            List<Tube> tubes = new ArrayList<>();
            for (int i = 0; i < ClusterWork.MAX_TUBES + 40; i++) {
                tubes.add(one.newTube(new ClientConnection(), TubeDefinition.FIFO));
            }
            Tube quiet = one.newTube(new ClientConnection(), TubeDefinition.FIFO);
            one.node().parts().work().beans(() -> Map.of(quiet.name(), new Beans(1, 2, 0)));
            Map<String, Long> puts = new HashMap<>();
            Random random = new Random(7);
            for (int round = 0; round < 12; round++) {
                for (Tube tube : tubes) {
                    int count = 1 + random.nextInt(3);
                    tube.putAll(java.util.Collections.nCopies(count, "x"), PutOptions.defaults());
                    puts.merge(tube.name(), (long) count, Long::sum);
                }
                int before = work(one).recent().size();
                Eventually.holds(() -> work(one).recent().size() > before, "a heartbeat");
            }
            assertThat(of(one, quiet).map(TubeWork::beans)).contains(new Beans(1, 2, 0));
            assertThat(work(one).tubes()).hasSizeGreaterThan(ClusterWork.MAX_TUBES / 2);
            work(one).tubes().forEach(tube -> assertThat(tube.moved().puts())
                    .as(tube.tube())
                    .isLessThanOrEqualTo(puts.getOrDefault(tube.tube(), 0L)));
        }
    }

    /** A maintenance thread that was held up reads the lines itself, and then gets the heartbeats that it has missed. */
    @ParameterizedTest
    @DatabaseSource
    void a_line_that_is_older_than_the_last_one_tells_nothing(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            Sql sql = new Sql(database);
            sql.execute("INSERT INTO tasktube_node (name, seen_at) VALUES ('other', CURRENT_TIMESTAMP)");
            show(sql, "line:0", 0);
            beatBesideOther(one, sql, 3);
            show(sql, "line:2", 10);
            Eventually.holds(() -> tube.statistics().ready() == 10, "it is told");
            show(sql, "line:1", 4);
            beatBesideOther(one, sql, 3);
            show(sql, "line:3", 11);
            Eventually.holds(() -> moved(one, tube).puts() >= 11, "the next one is read");
            assertThat(moved(one, tube)).isEqualTo(new Moved(11, 0, 0));
            assertThat(tube.statistics().ready()).isEqualTo(11);
        }
    }

    /** The other has a heartbeat, too, for it would be taken for dead after a second. */
    private static void beatBesideOther(RunningNode one, Sql sql, int times) throws SQLException {
        for (int i = 0; i < times; i++) {
            sql.execute("UPDATE tasktube_node SET seen_at = CURRENT_TIMESTAMP WHERE name = 'other'");
            beat(one, 1);
        }
    }

    private static void show(Sql sql, String number, int puts) throws SQLException {
        String word = sql.number("SELECT id FROM tasktube_tube") + ":1:" + puts + ":0:0:" + puts + ":0:0:0:0:0:0:0";
        sql.execute("UPDATE tasktube_node SET seen_at = CURRENT_TIMESTAMP, work = '" + number + " " + word
                + "' WHERE name = 'other'");
    }

    @ParameterizedTest
    @DatabaseSource
    void a_server_that_was_taken_for_dead_tells_nothing_again(TestDatabase kind) throws SQLException {
        besideAnother(kind, (database, one, tube, there) -> {
            putMany(there);
            Eventually.holds(() -> tube.statistics().ready() == 100, "it is told");
            Sql sql = new Sql(database);
            sql.execute("UPDATE tasktube_node SET dead = TRUE WHERE name = 'two'");
            Eventually.holds(
                    () -> readNumber(sql, "SELECT count(*) FROM tasktube_node WHERE name = 'two' AND NOT dead") == 1,
                    "it has a new number");
            beat(one, 6);
            assertThat(tube.statistics().ready()).isEqualTo(100);
        });
    }

    private static long readNumber(Sql sql, String query) {
        try {
            return sql.number(query);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Another version of the adapter may write more, or another form. */
    @ParameterizedTest
    @DatabaseSource
    void words_of_another_form_are_left_out(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one")) {
            Tube tube = one.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            long id = new Sql(database).number("SELECT id FROM tasktube_tube");
            String line = "x 7 " + id + ":1:5:4:3:1:-1:0:0:0:1:2:1 " + id + "9" + ":1".repeat(12) + " 1:2:3 :::::::";
            new Sql(database)
                    .execute("INSERT INTO tasktube_node (name, seen_at, work) VALUES ('other', CURRENT_TIMESTAMP, '"
                            + line + "')");
            Eventually.holds(
                    () -> of(one, tube).map(TubeWork::beans).equals(Optional.of(new Beans(1, 2, 1))),
                    "the word that it knows");
            assertThat(moved(one, tube)).as("what was before is not counted").isEqualTo(Moved.NONE);
            assertThat(Duration.between(work(one).read(), java.time.Instant.now()))
                    .isLessThan(Duration.ofMinutes(5));
        }
    }
}
