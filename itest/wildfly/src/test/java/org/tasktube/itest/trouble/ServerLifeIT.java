package org.tasktube.itest.trouble;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.WildFly;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server with TaskTube through its life: kill, redeploy, suspend, stop-delivery, what it shows and what it refuses.
 */
class ServerLifeIT {

    private static final Path DIRECTORY = Servers.directory("server-life");
    private static final String[] ADAPTER = {"subsystem", "resource-adapters", "resource-adapter", "tasktube.rar"};

    private static WildFly server;
    private static ProbeClient probe;
    private static Jcmd jcmd;

    @BeforeAll
    static void start() {
        server = Servers.onH2File(DIRECTORY);
        server.start();
        server.deploy(ProbeClient.war(DIRECTORY, ""));
        probe = new ProbeClient(server);
        jcmd = new Jcmd(server);
        Eventually.holds(() -> probe.ask("state").equals("RUNNING"), "the adapter runs");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void awaitDone(String run, long tasks) {
        Eventually.holds(() -> Long.toString(tasks).equals(probe.tryToAsk("done?run=" + run)), tasks + " of " + run);
        Eventually.holds(() -> "0".equals(probe.tryToAsk("total")), "nothing is left: " + probe.tryToAsk("statistics"));
    }

    @Test
    void a_kill_loses_no_task_and_none_is_done_twice() throws Exception {
        CompletableFuture<String> put =
                CompletableFuture.supplyAsync(() -> probe.tryToAsk("put?run=kill&count=100000"));
        Eventually.holds(() -> probe.number("done?run=kill") > 500, "some are done");
        server.kill();
        put.get();
        server.start();
        Eventually.holds(() -> "RUNNING".equals(probe.tryToAsk("state")), "the adapter runs again");
        Eventually.holds(() -> "0".equals(probe.tryToAsk("total")), "all that was put is done");
        long done = probe.number("done?run=kill");
        // Texts are numbered in the order of put, so that what was committed is 0 to n-1 without a gap
        assertThat(probe.ask("last?run=kill")).isEqualTo(Long.toString(done - 1));
    }

    @Test
    @Tag("full")
    void a_redeployed_application_goes_on_and_loses_nothing() throws Exception {
        CompletableFuture<String> put = CompletableFuture.supplyAsync(() -> probe.ask("put?run=app&count=3000"));
        put.get();
        for (int i = 0; i < 3; i++) {
            server.redeploy(ProbeClient.WAR);
        }
        awaitDone("app", 3000);
    }

    @Test
    @Tag("full")
    void a_redeployed_adapter_goes_on_without_a_second_timer_or_a_leak() throws Exception {
        probe.ask("put?run=rar&count=3000");
        for (int i = 0; i < 3; i++) {
            server.redeploy("tasktube.rar");
        }
        Eventually.holds(() -> "RUNNING".equals(probe.tryToAsk("state")), "the adapter runs again");
        awaitDone("rar", 3000);
        // A thread of WildFly's EJB timers may keep the first adapter itself, an empty shell then; docs/operations.md
        Eventually.holds(() -> jcmd.histogram("org.tasktube.node.Node") == 1, "one node in memory");
        assertThat(jcmd.histogram("org.tasktube.timers.DeadlineTimerBean")).isLessThanOrEqualTo(1);
        assertThat(jcmd.threads("org.tasktube.node.Maintenance.run")).isEqualTo(1);
        assertThat(jcmd.threads("org.tasktube.inflow.TaskActivation.run")).isEqualTo(1);
        assertThat(timers()).isLessThanOrEqualTo(1);
    }

    private static long timers() {
        var bean = server.read(
                "timers",
                "deployment",
                "tasktube-timers.jar",
                "subsystem",
                "ejb3",
                "message-driven-bean",
                "DeadlineTimerBean");
        return bean.isDefined() ? bean.asList().size() : 0;
    }

    @Test
    @Tag("full")
    void a_suspended_server_works_on_nothing_and_goes_on_when_resumed() {
        server.execute(WildFly.operation("suspend"));
        assertThat(jcmd.threads("org.tasktube.itest.probe.ProbeBean.onTask")).isZero();
        server.execute(WildFly.operation("resume"));
        probe.ask("put?run=resumed&count=100");
        awaitDone("resumed", 100);
    }

    @Test
    @Tag("full")
    void stopped_delivery_leaves_the_tasks_and_started_delivery_takes_them() {
        String[] bean = {"deployment", ProbeClient.WAR, "subsystem", "ejb3", "message-driven-bean", "ProbeBean"};
        server.execute(WildFly.operation("stop-delivery", bean));
        probe.ask("put?run=stopped&count=20");
        assertThat(probe.ask("statistics")).contains("ready=20");
        assertThat(probe.number("done?run=stopped")).isZero();
        server.execute(WildFly.operation("start-delivery", bean));
        awaitDone("stopped", 20);
    }

    @Test
    @Tag("full")
    void statistics_are_in_the_management_model() {
        probe.ask("put?run=shown&count=10");
        awaitDone("shown", 10);
        String[] statistics = Arrays.copyOf(ADAPTER, ADAPTER.length + 2);
        Map<String, String> found = new TreeMap<>();
        statistics[ADAPTER.length] = "statistics";
        statistics[ADAPTER.length + 1] = "extended";
        for (String name : List.of("total", "calls-ack", "calls-put")) {
            found.put(name, server.read(name, statistics).asString());
        }
        assertThat(found.get("total")).isEqualTo("0");
        assertThat(Long.parseLong(found.get("calls-put"))).isGreaterThanOrEqualTo(10);
        assertThat(found.get("calls-ack")).isEqualTo(found.get("calls-put"));
    }

    @Test
    @Tag("full")
    void each_tubes_numbers_are_read_by_jboss_cli_while_tubes_come_and_go() {
        probe.ask("put?run=beside&count=1");
        awaitDone("beside", 1);
        probe.ask("fill?tube=shown-a");
        probe.ask("fill?tube=shown-b");
        String numbers = "ready=2 delayed=1 taken=0 buried=1 results=1 total=5 done=2"
                + " calls-put=6 calls-take=3 calls-ack=1 calls-done=1 calls-bury=1 beans=0 waiting=0";
        String age = " oldest-ready-seconds=[0-9]+[.][0-9]{3} mode=OPEN";
        assertThat(tubes().lines())
                .anyMatch(line -> line.matches("shown-a: " + numbers + age))
                .anyMatch(line -> line.matches("shown-b: " + numbers + age))
                .anyMatch(
                        line -> line.matches("probe: .* beans=1 waiting=[01] oldest-ready-seconds=0[.]000 mode=OPEN"));

        probe.ask("drop?tube=shown-a");
        probe.ask("drop?tube=shown-b");
        assertThat(tubes()).doesNotContain("shown-").contains("probe: ready=0 ");
    }

    /** As an administrator sees it. */
    private static String tubes() {
        return server.cli(
                "read-attribute tubes --node=/subsystem=resource-adapters/resource-adapter=tasktube.rar/statistics=extended");
    }

    /** WildFly's own way of refusing, an exception, would end the server at its next reload; docs/application.md. */
    @Test
    @Tag("full")
    void a_bean_with_a_wrong_setting_is_logged_as_an_error_and_gets_no_task() {
        CompletableFuture<String> logged = server.log().next(errorWith("retryDelay"));
        server.deploy(Wars.bean(DIRECTORY, "wrong", "tube", "nosuch", "retryDelay", "soon"));
        assertThat(logged).succeedsWithin(Duration.ofMinutes(1));
        assertThat(logged.join()).contains("soon");
        server.undeploy("wrong.jar");
    }

    @Test
    @Tag("full")
    void a_refused_activation_lets_the_server_suspend_resume_and_reload() {
        CompletableFuture<String> wrong = server.log().next(errorWith("maxSession"));
        tryToDeploy(Wars.bean(DIRECTORY, "no-session", "tube", "nosuch", "maxSession", "0"));
        CompletableFuture<String> missing = server.log().next(errorWith("tube"));
        tryToDeploy(Wars.bean(DIRECTORY, "no-tube"));
        server.execute(WildFly.operation("suspend"));
        server.execute(WildFly.operation("resume"));
        assertThat(server.read("suspend-state").asString()).isEqualTo("RUNNING");
        reload();
        assertThat(server.read("suspend-state").asString()).isEqualTo("RUNNING");
        assertThat(wrong).isCompleted();
        assertThat(missing).isCompleted();
        Eventually.holds(() -> "RUNNING".equals(probe.tryToAsk("state")), "the adapter runs again");
        probe.ask("put?run=refused&count=10");
        awaitDone("refused", 10);
        server.undeploy("no-session.jar");
        server.undeploy("no-tube.jar");
    }

    /** Whether the server takes it or not is another test's. */
    private static void tryToDeploy(Path bean) {
        try {
            server.deploy(bean);
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining("WFLYEJB0501");
        }
    }

    private static void reload() {
        CompletableFuture<String> up = server.log().next("WFLYSRV0025", "WFLYSRV0026", "WFLYSRV0056");
        server.execute(WildFly.operation("reload"));
        assertThat(up).succeedsWithin(Duration.ofMinutes(1));
        assertThat(up.join()).contains("WFLYSRV0025");
    }

    private static Predicate<String> errorWith(String property) {
        return line -> line.contains("ERROR") && line.contains("TASKTUBE") && line.contains(property);
    }

    @Test
    @Tag("full")
    void a_pool_that_is_too_small_is_logged_with_both_numbers() {
        CompletableFuture<String> logged = server.log().next("TASKTUBE0300");
        server.deploy(Wars.bean(DIRECTORY, "hungry", "tube", "nosuch", "maxSession", "60"));
        assertThat(logged).succeedsWithin(Duration.ofMinutes(1));
        // 60 and 1 of this bean's, 4 and 1 of the probe's, 3 of the adapter's
        assertThat(logged.join()).contains("at most 60").contains("need up to 69");
        server.undeploy("hungry.jar");
    }

    @Test
    @Tag("full")
    void a_pool_that_is_too_small_for_all_beans_together_is_logged() {
        server.deploy(Wars.bean(DIRECTORY, "half", "tube", "nosuch", "maxSession", "30"));
        CompletableFuture<String> logged = server.log().next("TASKTUBE0300");
        server.deploy(Wars.bean(DIRECTORY, "other-half", "tube", "nosuch", "maxSession", "30"));
        assertThat(logged).succeedsWithin(Duration.ofMinutes(1));
        assertThat(logged.join()).contains("at most 60").contains("need up to 70");
        server.undeploy("half.jar");
        server.undeploy("other-half.jar");
    }
}
