package org.tasktube.itest.trouble;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.server.WildFly;

import static org.assertj.core.api.Assertions.assertThat;

/** tasktube.rar alone, copied into a stock WildFly: it activates itself, and applications see it by their manifest. */
class BareRarIT {

    private static final Path DIRECTORY = Servers.directory("bare-rar");

    private static WildFly server;
    private static ProbeClient probe;

    @BeforeAll
    static void start() {
        server = Servers.stock(DIRECTORY);
        server.start();
        server.deploy("tasktube.rar", Servers.rar());
        server.deploy(ProbeClient.war(DIRECTORY, "deployment.tasktube.rar"));
        probe = new ProbeClient(server);
        Eventually.holds(() -> probe.ask("state").equals("RUNNING"), "the adapter runs");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void tasks_go_from_put_to_bean_to_row() {
        probe.ask("put?run=bare&count=50");
        Eventually.holds(() -> probe.number("done?run=bare") == 50, "all are done");
        assertThat(probe.number("total")).isZero();
    }

    @Test
    void delays_end_within_250_ms() {
        probe.ask("lateness?count=500");
        List<Long> late = Arrays.stream(probe.ask("lateness?count=500")
                        .replaceAll("[\\[\\] ]", "")
                        .split(","))
                .map(Long::valueOf)
                .toList();
        System.out.println("bare rar: late by " + late.get(250) + " ms at the median, " + late.get(499) + " at worst");
        assertThat(late.get(0)).isGreaterThanOrEqualTo(-1);
        assertThat(late.get(499)).isLessThanOrEqualTo(250);
    }
}
