package org.tasktube.console.overview;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.BeanStatus.Reason;
import org.tasktube.admin.ClusterWork;
import org.tasktube.admin.DeadServer;
import org.tasktube.admin.OldTransaction;
import org.tasktube.admin.TubeWork;
import org.tasktube.admin.TubeWork.Beans;
import org.tasktube.admin.TubeWork.Moved;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class ProblemsTest {

    private static final ClusterWork NO_WORK =
            new ClusterWork(List.of(), List.of(), Instant.EPOCH, Duration.ofSeconds(3), List.of());

    private final Idle idle = new Idle();
    private ClusterWork work = NO_WORK;

    @Test
    void an_adapter_that_does_not_run_is_bad() {
        Problems.Found found = Problems.ofAdapter("a", "TaskTube is WAITING (no route)");
        assertThat(found.severity()).isEqualTo("bad");
        assertThat(found.text()).isEqualTo("Server a: TaskTube is WAITING (no route).");
    }

    @Test
    void an_old_transaction_is_named_with_its_end() {
        assertThat(Problems.ofDatabase(Optional.empty())).isEmpty();
        OldTransaction old = new OldTransaction(
                "process 7 of user anna",
                Instant.EPOCH,
                Duration.ofMinutes(12),
                "end it by SELECT pg_terminate_backend(7)");
        assertThat(Problems.ofDatabase(Optional.of(old))).singleElement().satisfies(found -> {
            assertThat(found.kind()).isEqualTo("database");
            assertThat(found.text())
                    .isEqualTo(
                            "The transaction of process 7 of user anna is open for 12 min; until it ends, tables grow"
                                    + " and takes become slower. If it is not meant so, end it by SELECT pg_terminate_backend(7).");
        });
    }

    @Test
    void a_healthy_tube_has_no_problem() {
        look(0, tube(5, 0, 10, TubeMode.OPEN));
        look(60, tube(5, 0, 11, TubeMode.OPEN));
        assertThat(found(tube(5, 0, 11, TubeMode.OPEN))).isEmpty();
    }

    @Test
    void ready_tasks_without_a_take_are_a_problem_after_30_seconds_and_bad_after_5_minutes() {
        look(0, tube(5, 0, 10, TubeMode.OPEN));
        look(29, tube(5, 0, 10, TubeMode.OPEN));
        assertThat(found(tube(5, 0, 10, TubeMode.OPEN))).isEmpty();
        look(45, tube(6, 0, 10, TubeMode.OPEN));
        assertThat(found(tube(6, 0, 10, TubeMode.OPEN))).singleElement().satisfies(found -> {
            assertThat(found.kind()).isEqualTo("idle");
            assertThat(found.severity()).isEqualTo("warn");
            assertThat(found.text())
                    .isEqualTo(
                            "Tube orders has 6 ready tasks, and none was taken for 45 s; no bean listens on any server.");
        });
        look(400, tube(6, 0, 10, TubeMode.DRAINING));
        assertThat(found(tube(6, 0, 10, TubeMode.DRAINING)))
                .filteredOn(found -> found.kind().equals("idle"))
                .singleElement()
                .satisfies(found -> assertThat(found.severity()).isEqualTo("bad"));
    }

    @Test
    void a_tube_on_which_another_server_works_is_not_idle() {
        look(0, tube(5, 0, 10, TubeMode.OPEN));
        for (int second = 1; second < 400; second++) {
            work = work(new Moved(0, second, 0), new Beans(1, 4, 4));
            look(second, tube(5, 0, 10, TubeMode.OPEN));
        }
        assertThat(found(tube(5, 0, 10, TubeMode.OPEN))).isEmpty();
        look(500, tube(5, 0, 10, TubeMode.OPEN));
        assertThat(found(tube(5, 0, 10, TubeMode.OPEN))).singleElement().satisfies(found -> assertThat(found.text())
                .contains("4 of 4 instances of its beans are busy"));
    }

    @Test
    void a_tube_of_which_many_deliveries_fail_comes_first_with_its_share_and_rate() {
        work = work(new Moved(0, 80, 20), Beans.NONE);
        assertThat(found(tube(0, 0, 10, TubeMode.OPEN))).isEmpty();
        work = work(new Moved(0, 66, 34), Beans.NONE);
        look(0, tube(5, 1, 10, TubeMode.OPEN));
        look(400, tube(5, 1, 10, TubeMode.OPEN));
        List<Problems.Found> found = found(tube(5, 1, 10, TubeMode.OPEN));
        assertThat(found).extracting(Problems.Found::kind).containsExactly("failing", "idle", "buried");
        assertThat(found.get(0).severity()).isEqualTo("bad");
        assertThat(found.get(0).text())
                .isEqualTo("Tube orders fails: 34 % of its deliveries in the last 5 minutes, 7 per minute.");
        work = work(new Moved(0, 0, 19), Beans.NONE);
        assertThat(found(tube(0, 0, 10, TubeMode.OPEN))).as("too few to say").isEmpty();
    }

    private static ClusterWork work(Moved moved, Beans beans) {
        return new ClusterWork(
                List.of(new TubeWork("orders", moved, beans)),
                List.of(new ClusterWork.Sample(Instant.EPOCH, Duration.ofSeconds(3), Map.of("orders", moved))),
                Instant.EPOCH,
                Duration.ofSeconds(3),
                List.of());
    }

    @Test
    void a_server_that_has_died_is_bad_and_says_what_was_released() {
        assertThat(Problems.ofServers(List.of(new DeadServer("app-2", 7, Instant.EPOCH, 12))))
                .containsExactly(new Problems.Found(
                        "server",
                        "bad",
                        null,
                        "Server app-2 has died, and 12 taken tasks of it were released at 1970-01-01T00:00:00Z. Start"
                                + " it again, or dismiss this on the page of the servers.",
                        "/servers"));
    }

    @Test
    void a_bean_that_was_refused_is_bad_and_one_that_waits_for_a_tube_may_be_meant_so() {
        assertThat(Problems.ofBeans(List.of(
                        bean(Reason.REFUSED, "refused."), bean(Reason.BUSY, "busy."), bean(Reason.NO_TUBE, "waits."))))
                .extracting(Problems.Found::severity, Problems.Found::text)
                .containsExactly(tuple("bad", "refused."), tuple("warn", "waits."));
    }

    private static BeanStatus bean(Reason reason, String text) {
        return new BeanStatus(
                "Worker", "orders", 1, 1, 0, List.of(), 0, Optional.of(new BeanStatus.Hindrance(reason, text)));
    }

    @Test
    void a_tube_that_was_empty_begins_anew() {
        look(0, tube(1, 0, 10, TubeMode.OPEN));
        look(100, tube(0, 0, 10, TubeMode.OPEN));
        look(200, tube(1, 0, 10, TubeMode.OPEN));
        assertThat(found(tube(1, 0, 10, TubeMode.OPEN))).isEmpty();
    }

    @Test
    void a_dropped_tube_is_forgotten() {
        look(0, tube(1, 0, 10, TubeMode.OPEN));
        idle.look(List.of(), NO_WORK, nanos(1));
        look(100, tube(1, 0, 10, TubeMode.OPEN));
        assertThat(idle.time("orders")).isZero();
    }

    @Test
    void a_pause_has_who_and_why_and_explains_that_no_task_is_taken() {
        look(0, tube(1, 0, 10, TubeMode.PAUSED));
        look(1000, tube(1, 0, 10, TubeMode.PAUSED));
        assertThat(found(tube(1, 0, 10, TubeMode.PAUSED))).singleElement().satisfies(found -> {
            assertThat(found.kind()).isEqualTo("paused");
            assertThat(found.text()).contains("anna", "orders", "the printer", "1970-01-01T00:00:00Z");
            assertThat(found.link()).isEqualTo("/tubes/orders");
        });
    }

    @Test
    void buried_tasks_are_a_warning_with_a_link_to_them() {
        assertThat(found(tube(0, 1, 0, TubeMode.OPEN))).singleElement().satisfies(found -> {
            assertThat(found.text()).contains("1 buried task,");
            assertThat(found.link()).isEqualTo("/tasks?filter=tube:orders+state:buried");
        });
        assertThat(found(tube(0, 1234, 0, TubeMode.OPEN)).get(0).text()).contains("1,234 buried tasks,");
    }

    @Test
    void the_worst_comes_first() {
        look(0, tube(1, 1, 10, TubeMode.DRAINING));
        look(1000, tube(1, 1, 10, TubeMode.DRAINING));
        assertThat(found(tube(1, 1, 10, TubeMode.DRAINING)))
                .extracting(Problems.Found::kind)
                .containsExactly("idle", "draining", "buried");
    }

    @Test
    void of_one_kind_the_one_of_most_tasks_comes_first() {
        List<TubeStatistics> tubes = List.of(tube(0, 2, 0, TubeMode.OPEN), tube(0, 512, 0, TubeMode.OPEN));
        assertThat(Problems.ofTubes(tubes, work, idle).get(0).text()).contains("512 buried tasks");
    }

    @Test
    void times_have_one_unit() {
        assertThat(Problems.rounded(Duration.ofSeconds(59))).isEqualTo("59 s");
        assertThat(Problems.rounded(Duration.ofSeconds(119))).isEqualTo("1 min");
        assertThat(Problems.rounded(Duration.ofMinutes(119))).isEqualTo("1 h");
        assertThat(Problems.rounded(Duration.ofHours(49))).isEqualTo("2 d");
    }

    private void look(long second, TubeStatistics tube) {
        idle.look(List.of(tube), work, nanos(second));
    }

    private static long nanos(long second) {
        // Such times may pass the largest number
        return Long.MAX_VALUE
                - Duration.ofSeconds(10).toNanos()
                + Duration.ofSeconds(second).toNanos();
    }

    private List<Problems.Found> found(TubeStatistics tube) {
        return Problems.ofTubes(List.of(tube), work, idle);
    }

    private static TubeStatistics tube(long ready, long buried, long takes, TubeMode mode) {
        boolean open = mode == TubeMode.OPEN;
        return new TubeStatistics(
                "orders",
                ready,
                0,
                0,
                buried,
                0,
                0,
                ready + buried,
                Map.of(TubeEvent.TAKE, takes),
                mode,
                open ? "" : "anna",
                Instant.EPOCH,
                open ? "" : "the printer");
    }
}
