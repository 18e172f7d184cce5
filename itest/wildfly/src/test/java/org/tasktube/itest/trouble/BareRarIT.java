package org.tasktube.itest.trouble;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.WildFly;

import static org.assertj.core.api.Assertions.assertThat;

/** Only tasktube.rar, copied into a stock WildFly: it activates itself, and applications see it by their manifest. */
@Tag("full")
class BareRarIT {

    private static final Path DIRECTORY = Servers.directory("bare-rar");
    private static final int TASKS = 500;
    private static final int ROUNDS = 4;

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

    /** In one of a few rounds: the first ones are a cold server's, and the machine may have other things to do. */
    @Test
    void delays_end_within_250_ms() {
        List<Long> late = lateness();
        for (int i = 1; i < ROUNDS && late.get(TASKS - 1) > 250; i++) {
            late = lateness();
        }
        System.out.println("bare rar: " + TASKS + " tasks, late by " + late.get(TASKS / 2) + " ms at the median, "
                + late.get(TASKS - 1) + " at worst");
        assertThat(late.get(0)).as("never early").isGreaterThanOrEqualTo(-1);
        assertThat(late.get(TASKS - 1)).isLessThanOrEqualTo(250);
    }

    private static List<Long> lateness() {
        return Arrays.stream(probe.ask("lateness?count=" + TASKS)
                        .replaceAll("[\\[\\] ]", "")
                        .split(","))
                .map(Long::valueOf)
                .toList();
    }

    @Test
    void a_bean_can_name_the_adapter_on_a_server_that_has_no_default_for_beans() {
        CompletableFuture<String> started = server.log().next("Started message driven bean 'bound'");
        server.cli("/subsystem=ejb3:undefine-attribute(name=default-resource-adapter-name)");
        try {
            server.deploy(Wars.boundBean(DIRECTORY, "bound", "deployment.tasktube.rar", "tasktube.rar"));
            assertThat(started).succeedsWithin(Duration.ofSeconds(20));
            assertThat(started.join()).contains("tasktube.rar");
            server.undeploy("bound.jar");
        } finally {
            server.cli("/subsystem=ejb3:write-attribute(name=default-resource-adapter-name,value=tasktube.rar)");
        }
    }

    @Test
    void a_pool_of_the_servers_default_size_is_logged_when_it_is_too_small() {
        CompletableFuture<String> logged = server.log().next("TASKTUBE0300");
        server.deploy(Wars.dependentBean(
                DIRECTORY, "hungry", "deployment.tasktube.rar", "tube", "nosuch", "maxSession", "30"));
        assertThat(logged).succeedsWithin(Duration.ofSeconds(20));
        assertThat(logged.join()).contains("at most 20");
        server.undeploy("hungry.jar");
    }
}
