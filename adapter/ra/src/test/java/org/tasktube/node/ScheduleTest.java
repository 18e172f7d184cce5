package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.PutOptions;
import org.tasktube.Schedule;
import org.tasktube.ScheduleNotFoundException;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeNotFoundException;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.admin.ScheduleStatus;
import org.tasktube.admin.ScheduleStatus.SkipReason;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Schedules put tasks, each fire one. A fire is made due by a change of its time in the table. */
@Timeout(120)
class ScheduleTest {

    private static final Duration PERIOD = Duration.ofMillis(100);

    private final ClientConnection connection = new ClientConnection();

    /** A server with a tube and a schedule for it, which fires at no time by itself. */
    private final class Rig implements AutoCloseable {

        private final HikariDataSource database;
        private final AgroalDataSource pool;
        private final RunningNode one;
        private final Tube tube;
        private final TaskAdmin admin;

        Rig(TestDatabase kind) {
            this(kind, TubeDefinition.FIFOTTL);
        }

        Rig(TestDatabase kind, String type) {
            database = kind.create();
            pool = Jta.pool(database);
            one = new RunningNode(pool, Jta.TRANSACTIONS, "one");
            tube = one.newTube(connection, type);
            admin = one.node().admin(connection);
        }

        Schedule yearly() {
            return Schedule.cron("report", "0 3 1 1 *", "UTC").into(tube.name(), "x");
        }

        boolean keep(Schedule schedule) {
            return one.node().schedule(connection, schedule);
        }

        /** Has the schedule fire as if its next time had been that long ago. */
        void due(Duration ago) throws SQLException {
            new Sql(database)
                    .execute("UPDATE tasktube_schedule SET next_at = CURRENT_TIMESTAMP - INTERVAL '" + ago.toSeconds()
                            + "' SECOND");
            one.node().parts().schedules().lookAfterCommit();
        }

        ScheduleStatus status() {
            List<ScheduleStatus> all = admin.schedules();
            assertThat(all).hasSize(1);
            return all.get(0);
        }

        void awaitFires(long fires) {
            Eventually.holds(() -> status().fires() == fires, fires + " fires");
        }

        void awaitSkip(SkipReason reason) {
            Eventually.holds(
                    () -> status().lastSkip()
                            .filter(skip -> skip.reason() == reason)
                            .isPresent(),
                    reason.name());
        }

        @Override
        public void close() {
            one.close();
            pool.close();
            database.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_fire_puts_one_task_with_its_time_and_the_time_before(TestDatabase kind) throws Exception {
        try (Rig rig = new Rig(kind)) {
            PutOptions options =
                    PutOptions.defaults().pri(3).ttl(Duration.ofHours(1)).header("own", "1");
            assertThat(rig.keep(Schedule.every("report", Duration.ofHours(1)).into(rig.tube.name(), "x", options)))
                    .isTrue();
            Instant kept = rig.status().next();
            rig.due(Duration.ofSeconds(1));
            rig.awaitFires(1);
            Task task = rig.tube.take(Duration.ZERO).orElseThrow();
            assertThat(task.pri()).isEqualTo(3);
            assertThat(task.data().text()).isEqualTo("x");
            Instant fire = Instant.parse(task.headers().get(Schedule.FIRE_HEADER));
            assertThat(fire).isBefore(kept);
            assertThat(task.headers())
                    .containsEntry("own", "1")
                    .containsEntry(Schedule.NAME_HEADER, "report")
                    .doesNotContainKey(Schedule.PREVIOUS_HEADER);
            assertThat(rig.status().last()).contains(fire);
            assertThat(rig.status().lastTask()).hasValue(task.id());
            assertThat(rig.status().next()).isEqualTo(fire.plus(Duration.ofHours(1)));
            assertThat(rig.status().upcoming())
                    .hasSize(5)
                    .startsWith(fire.plus(Duration.ofHours(1)), fire.plus(Duration.ofHours(2)));
            rig.tube.ack(task);
            rig.due(Duration.ofSeconds(1));
            rig.awaitFires(2);
            assertThat(rig.tube.take(Duration.ZERO).orElseThrow().headers())
                    .containsEntry(Schedule.PREVIOUS_HEADER, fire.toString());
        }
    }

    /** PostgreSQL refuses a NUL. */
    @ParameterizedTest
    @EnumSource
    void there_is_no_schedule_of_a_name_that_none_can_have(TestDatabase kind) throws Exception {
        try (Rig rig = new Rig(kind)) {
            assertThat(rig.one.node().unschedule(connection, "\0")).isFalse();
            for (Consumer<String> call : List.<Consumer<String>>of(
                    rig.admin::runSchedule,
                    rig.admin::resumeSchedule,
                    name -> rig.admin.pauseSchedule(name, "anna", "month end"))) {
                assertThatThrownBy(() -> call.accept("\0")).isInstanceOf(ScheduleNotFoundException.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_schedule_begins_with_its_transaction_and_ends_with_one(TestDatabase kind) throws Exception {
        try (Rig rig = new Rig(kind)) {
            Jta.MANAGER.begin();
            assertThat(rig.keep(rig.yearly())).isTrue();
            assertThat(rig.admin.schedules()).hasSize(1);
            Jta.MANAGER.rollback();
            assertThat(rig.admin.schedules()).isEmpty();
            Jta.MANAGER.begin();
            rig.keep(Schedule.every("report", PERIOD).into(rig.tube.name(), "x").allowOverlap());
            assertThat(Jta.commits()).isTrue();
            Eventually.holds(() -> rig.status().fires() > 2, "it fires");
            Jta.MANAGER.begin();
            assertThat(rig.one.node().unschedule(connection, "report")).isTrue();
            Jta.MANAGER.rollback();
            assertThat(rig.status().schedule().name()).isEqualTo("report");
            assertThat(rig.one.node().unschedule(connection, "report")).isTrue();
            assertThat(rig.one.node().unschedule(connection, "report")).isFalse();
            assertThat(rig.tube.take(Duration.ZERO)).as("its tasks stay").isPresent();
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_equal_schedule_changes_nothing_and_another_keeps_the_next_fire_of_the_same_times(TestDatabase kind)
            throws Exception {
        try (Rig rig = new Rig(kind)) {
            rig.keep(rig.yearly());
            rig.due(Duration.ofDays(-7));
            Instant next = rig.status().next();
            assertThat(rig.keep(rig.yearly())).isFalse();
            Schedule ab = Schedule.cron("headers", "0 3 1 1 *", "UTC")
                    .into(
                            rig.tube.name(),
                            "x",
                            PutOptions.defaults().header("a", "1").header("b", "2"));
            Schedule ba = Schedule.cron("headers", "0 3 1 1 *", "UTC")
                    .into(
                            rig.tube.name(),
                            "x",
                            PutOptions.defaults().header("b", "2").header("a", "1"));
            Schedule one = Schedule.cron("headers", "0 3 1 1 *", "UTC")
                    .into(rig.tube.name(), "x", PutOptions.defaults().header("a", "1, b=2"));
            assertThat(rig.keep(ab)).isTrue();
            assertThat(rig.keep(ba)).as("the order of headers").isFalse();
            assertThat(rig.keep(one)).as("a header like two").isTrue();
            assertThat(rig.one.node().unschedule(connection, "headers")).isTrue();
            Schedule other = Schedule.cron("report", "0 3 1 1 *", "UTC").into(rig.tube.name(), "y");
            assertThat(rig.keep(other)).isTrue();
            assertThat(rig.status().next()).isEqualTo(next);
            assertThat(rig.status().schedule()).isEqualTo(other);
            assertThat(rig.keep(Schedule.cron("report", "0 4 1 1 *", "UTC").into(rig.tube.name(), "y")))
                    .isTrue();
            assertThat(rig.status().next()).isNotEqualTo(next);
        }
    }

    @ParameterizedTest
    @EnumSource
    void servers_that_make_the_same_schedule_at_once_make_one(TestDatabase kind) throws Exception {
        try (Rig rig = new Rig(kind)) {
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                for (int round = 0; round < 10; round++) {
                    CyclicBarrier barrier = new CyclicBarrier(4);
                    List<Future<Boolean>> made = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        made.add(threads.submit(() -> {
                            barrier.await();
                            return rig.keep(rig.yearly());
                        }));
                    }
                    int changes = 0;
                    for (Future<Boolean> each : made) {
                        changes += each.get() ? 1 : 0;
                    }
                    assertThat(changes).isEqualTo(1);
                    assertThat(rig.one.node().unschedule(connection, "report")).isTrue();
                }
            } finally {
                threads.shutdownNow();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_fire_is_skipped_while_the_task_before_has_not_ended_unless_that_is_buried(TestDatabase kind)
            throws Exception {
        try (Rig rig = new Rig(kind)) {
            rig.keep(rig.yearly());
            rig.due(Duration.ofSeconds(1));
            rig.awaitFires(1);
            rig.due(Duration.ofSeconds(1));
            rig.awaitSkip(SkipReason.OVERLAP);
            assertThat(rig.status().skipped()).isEqualTo(1);
            rig.tube.bury(rig.status().lastTask().orElseThrow());
            rig.due(Duration.ofSeconds(1));
            rig.awaitFires(2);
            rig.keep(rig.yearly().allowOverlap());
            rig.due(Duration.ofSeconds(1));
            rig.awaitFires(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void missed_fires_put_one_task_for_the_latest_and_none_if_that_is_too_late(TestDatabase kind) throws Exception {
        try (Rig rig = new Rig(kind)) {
            Schedule hourly = Schedule.every("report", Duration.ofHours(1)).into(rig.tube.name(), "x");
            rig.keep(hourly);
            rig.due(Duration.ofMinutes(5 * 60 + 30));
            rig.awaitFires(1);
            Instant fire = rig.status().last().orElseThrow();
            assertThat(Duration.between(fire, rig.status().next())).isEqualTo(Duration.ofHours(1));
            assertThat(rig.tube.statistics().total()).isEqualTo(1);
            rig.tube.truncate();
            rig.keep(hourly.skipIfLateBy(Duration.ofMinutes(10)));
            rig.due(Duration.ofMinutes(5 * 60 + 30));
            rig.awaitSkip(SkipReason.LATE);
            rig.due(Duration.ofMinutes(5));
            rig.awaitFires(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tube_that_takes_no_task_has_the_fire_skipped_with_the_reason(TestDatabase kind) throws Exception {
        try (Rig rig = new Rig(kind)) {
            Tube small = rig.one.node().createTube(connection, TubeDefinition.limfifottl(RunningNode.newName(), 1));
            small.put("full");
            rig.keep(Schedule.cron("report", "0 3 1 1 *", "UTC").into(small.name(), "x"));
            rig.due(Duration.ofSeconds(1));
            rig.awaitSkip(SkipReason.FULL);
            small.truncate();
            small.drain("maintenance", "anna");
            rig.due(Duration.ofSeconds(1));
            rig.awaitSkip(SkipReason.DRAINING);
            small.drop();
            rig.due(Duration.ofSeconds(1));
            rig.awaitSkip(SkipReason.NO_TUBE);
            assertThat(rig.status().fires()).isZero();
            assertThat(rig.status().skipped()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_paused_schedule_puts_nothing_but_on_demand_and_stays_paused_after_a_deployment(TestDatabase kind)
            throws Exception {
        try (Rig rig = new Rig(kind)) {
            rig.keep(rig.yearly());
            rig.admin.pauseSchedule("report", "anna", "month end");
            rig.due(Duration.ofSeconds(1));
            assertThat(rig.keep(rig.yearly())).isFalse();
            assertThat(rig.keep(rig.yearly().allowOverlap())).isTrue();
            assertThat(rig.status().pause().orElseThrow().by()).isEqualTo("anna");
            assertThat(rig.status().pause().orElseThrow().reason()).isEqualTo("month end");
            Task now = rig.admin.runSchedule("report");
            assertThat(now.headers()).containsEntry(Schedule.NAME_HEADER, "report");
            rig.one.node().sweep();
            assertThat(rig.tube.statistics().total()).isEqualTo(1);
            rig.admin.resumeSchedule("report");
            assertThat(rig.status().pause()).isEmpty();
            assertThat(rig.status().next()).isAfter(Instant.now());
            rig.one.node().sweep();
            assertThat(rig.status().fires()).isZero();
            assertThatThrownBy(() -> rig.admin.pauseSchedule("other", "anna", "x"))
                    .isInstanceOf(ScheduleNotFoundException.class)
                    .hasMessageContaining("'other'");
            assertThatThrownBy(() -> rig.admin.pauseSchedule("report", " ", "x"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_could_put_no_task_is_refused_when_it_is_made(TestDatabase kind) throws Exception {
        try (Rig rig = new Rig(kind, TubeDefinition.FIFO)) {
            assertThatThrownBy(() -> rig.keep(Schedule.every("a", PERIOD).into("missing", "x")))
                    .isInstanceOf(TubeNotFoundException.class);
            assertThatThrownBy(() -> rig.keep(Schedule.every("a", PERIOD)
                            .into(rig.tube.name(), "x", PutOptions.defaults().pri(1))))
                    .isInstanceOf(UnsupportedOptionException.class);
            assertThatThrownBy(() ->
                            rig.keep(Schedule.cron("a", "0 0 30 2 *", "UTC").into(rig.tube.name(), "x")))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(rig.admin.schedules()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_tube_that_was_made_anew_elsewhere_gets_the_task(TestDatabase kind) throws Exception {
        try (Rig rig = new Rig(kind);
                RunningNode two = new RunningNode(rig.database, "two")) {
            rig.keep(rig.yearly());
            two.node().tube(connection, rig.tube.name()).drop();
            two.node().createTube(connection, TubeDefinition.fifottl(rig.tube.name()));
            rig.due(Duration.ofSeconds(1));
            rig.awaitFires(1);
            assertThat(rig.status().skipped()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_schedule_whose_put_fails_holds_up_no_other(TestDatabase kind) throws Exception {
        try (Rig rig = new Rig(kind)) {
            rig.keep(Schedule.cron("bad", "0 3 1 1 *", "UTC")
                    .into(rig.tube.name(), "x", PutOptions.defaults().pri(7)));
            rig.keep(Schedule.cron("elsewhere", "0 3 1 1 *", "UTC").into(rig.tube.name(), "x"));
            rig.keep(Schedule.cron("good", "0 3 1 1 *", "UTC").into(rig.tube.name(), "y"));
            Sql sql = new Sql(rig.database);
            sql.execute("ALTER TABLE tasktube_task ADD CONSTRAINT no_seven CHECK (pri <> 7)");
            sql.execute("UPDATE tasktube_schedule SET zone = 'Mars/Phobos' WHERE name = 'elsewhere'");
            rig.due(Duration.ofSeconds(1));
            Eventually.holds(() -> rig.tube.statistics().total() == 1, "the good one fires");
            assertThat(rig.tube.take(Duration.ZERO).orElseThrow().data().text()).isEqualTo("y");
        }
    }

    /** Their servers sweep at the same times, and one of them is killed. */
    @ParameterizedTest
    @EnumSource
    void each_fire_of_many_schedules_has_one_task_on_three_servers_of_which_one_dies(TestDatabase kind) {
        int many = 20;
        try (Rig rig = new Rig(kind);
                RunningNode two = new RunningNode(rig.database, "two")) {
            RunningNode dies = new RunningNode(rig.database, "dies");
            Tube tube = two.withTemporary().newTube(connection, TubeDefinition.FIFO);
            for (int i = 0; i < many; i++) {
                RunningNode by = List.of(rig.one, two, dies).get(i % 3);
                by.node()
                        .schedule(
                                connection,
                                Schedule.every("s" + i, PERIOD)
                                        .into(i % 2 == 0 ? rig.tube.name() : tube.name(), "x")
                                        .allowOverlap());
            }
            Eventually.holds(() -> fires(rig) > 200, "200 fires");
            dies.kill();
            long before = fires(rig);
            Eventually.holds(() -> fires(rig) > before + 400, "the others go on");
            rig.admin
                    .schedules()
                    .forEach(each -> rig.admin.pauseSchedule(each.schedule().name(), "test", "the end"));
            Set<String> seen = new HashSet<>();
            List<String> twice = Collections.synchronizedList(new ArrayList<>());
            for (Tube from : List.of(rig.tube, tube)) {
                for (Optional<Task> task = from.take(Duration.ZERO);
                        task.isPresent();
                        task = from.take(Duration.ZERO)) {
                    String fire = task.get().headers().get(Schedule.NAME_HEADER) + " "
                            + task.get().headers().get(Schedule.FIRE_HEADER);
                    if (!seen.add(fire)) {
                        twice.add(fire);
                    }
                }
            }
            assertThat(twice).isEmpty();
            assertThat(seen).hasSize((int) fires(rig));
        }
    }

    private static long fires(Rig rig) {
        return rig.admin.schedules().stream().mapToLong(ScheduleStatus::fires).sum();
    }
}
