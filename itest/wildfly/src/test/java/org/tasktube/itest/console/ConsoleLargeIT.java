package org.tasktube.itest.console;

import java.time.Duration;
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

/** The figure of the console that needs a quiet machine: how much throughput an open one costs. */
@Tag("console-large")
@ExtendWith(ConsoleServer.Extension.class)
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class ConsoleLargeIT {

    private static final int LOAD = Integer.getInteger("console.load", 20_000);
    private static final int TURNS = Integer.getInteger("console.turns", 7);
    private static final double MOST_COST = 0.02;

    private final ConsoleServer console;

    ConsoleLargeIT(ConsoleServer console) {
        this.console = console;
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

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
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
