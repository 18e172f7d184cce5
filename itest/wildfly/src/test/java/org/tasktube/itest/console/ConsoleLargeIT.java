package org.tasktube.itest.console;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** The figures of the console: how fast it answers over 1,000,000 tasks, and how much throughput it costs. */
@Tag("console-large")
@ExtendWith(ConsoleServer.Extension.class)
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ConsoleLargeIT {

    private static final int TASKS = 1_000_000;
    private static final int TIMES = 21;
    private static final double MOST_MILLIS = 300;

    private static final int LOAD = Integer.getInteger("console.load", 20_000);
    private static final int TURNS = Integer.getInteger("console.turns", 7);
    private static final double MOST_COST = 0.02;

    private final ConsoleServer console;

    ConsoleLargeIT(ConsoleServer console) {
        this.console = console;
    }

    @Test
    void a_tube_of_1000000_tasks_shows_each_page_within_300_ms() {
        fill();
        String id = console.read("SELECT max(id) FROM tasktube_task WHERE state = 'r'");
        List<String> slow = new ArrayList<>();
        for (String path : List.of(
                "tasks",
                "tasks?filter=tube:large",
                "tasks?filter=tube:large%20state:ready",
                "tasks?filter=tube:large%20state:buried",
                "tasks?filter=state:buried",
                "tasks?filter=state:taken",
                "tasks?filter=tube:large%20key:the-key",
                "tasks?filter=id:" + id,
                "tasks?filter=tube:large&limit=200",
                "tasks/large/" + id,
                "tubes/large",
                "overview",
                "failures",
                secondPage())) {
            double median = median(path);
            System.out.printf("%,d tasks: %s: %.0f ms%n", TASKS, path, median);
            if (median > MOST_MILLIS) {
                slow.add(path + ": " + median + " ms");
            }
        }
        console.drop("large");
        assertThat(slow).isEmpty();
    }

    private void fill() {
        console.freshTube("large", "fifottl");
        Rest rest = console.rest(console.admin());
        Rows rows = Rows.of(console);
        String buried = rest.putText("large", "buried");
        rest.post("tasks/large/" + buried + "/bury", "{\"reason\":\"test\"}");
        rows.copy(rest.putText("large", "ready"), TASKS - 100_001);
        rows.copy(buried, 100_000 - 1);
        rest.put("large", "{\"data\":\"x\",\"key\":\"the-key\"}");
        console.sql("VACUUM ANALYZE tasktube_task");
    }

    private String secondPage() {
        String first = "tasks?filter=tube:large";
        return first + "&from=" + console.rest(console.viewer()).get(first).getString("next");
    }

    private double median(String path) {
        Rest rest = console.rest(console.viewer());
        double[] millis = new double[TIMES];
        for (int i = 0; i < TIMES; i++) {
            long begin = System.nanoTime();
            HttpResponse<String> answer = rest.send("GET", path, "");
            millis[i] = (System.nanoTime() - begin) / 1e6;
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        }
        return median(millis);
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    @Test
    void an_open_console_and_a_scrape_cost_less_than_2_percent_of_the_throughput() {
        double[] without = new double[TURNS];
        double[] with = new double[TURNS];
        work();
        for (int turn = 0; turn < TURNS; turn++) {
            without[turn] = work();
            with[turn] = withConsole();
            System.out.printf("turn %d: %.0f tasks/s, with the console %.0f%n", turn, without[turn], with[turn]);
        }
        double cost = 1 - median(with) / median(without);
        System.out.printf("the console costs %.1f %% of %.0f tasks/s%n", cost * 100, median(without));
        assertThat(cost).isLessThan(MOST_COST);
    }

    private double withConsole() {
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
        try {
            Rest viewer = console.rest(console.viewer());
            List<ScheduledFuture<?>> open = List.of(
                    clock.scheduleAtFixedRate(() -> viewer.getAny("overview"), 0, 2, TimeUnit.SECONDS),
                    clock.scheduleAtFixedRate(() -> viewer.send("GET", "../../metrics", ""), 0, 15, TimeUnit.SECONDS));
            double throughput = work();
            assertThat(open).as("the console is still open").noneMatch(Future::isDone);
            return throughput;
        } finally {
            clock.shutdownNow();
        }
    }

    /** Returns how many tasks per second the beans have done. */
    private double work() {
        Rest rest = console.rest(console.operator());
        rest.post("tubes/work/pause", "{\"reason\":\"the load is put\"}");
        console.fill("work", LOAD);
        long begin = System.nanoTime();
        rest.post("tubes/work/resume", "{}");
        Eventually.holds(
                Duration.ofMinutes(5),
                () -> console.read("SELECT NOT EXISTS (SELECT 1 FROM tasktube_task t JOIN tasktube_tube u"
                                + " ON u.id = t.tube_id WHERE u.name = 'work' AND t.state IN ('r', 't'))")
                        .equals("t"),
                () -> "the beans have done all");
        return LOAD / ((System.nanoTime() - begin) / 1e9);
    }
}
