package org.tasktube.itest.trouble;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.probe.IdleBean;
import org.tasktube.itest.server.WildFly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A server with TaskTube through its life: kill, redeploy, suspend, stop-delivery, what it shows and what it refuses. */
class ServerLifeIT {

    private static final Path DIRECTORY = Servers.directory("server-life");
    private static final String[] ADAPTER = {"subsystem", "resource-adapters", "resource-adapter", "tasktube.rar"};

    private static WildFly server;
    private static ProbeClient probe;

    @BeforeAll
    static void start() {
        server = Servers.onH2File(DIRECTORY);
        server.start();
        server.deploy(ProbeClient.war(DIRECTORY, ""));
        probe = new ProbeClient(server);
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
    void a_redeployed_application_goes_on_and_loses_nothing() throws Exception {
        CompletableFuture<String> put = CompletableFuture.supplyAsync(() -> probe.ask("put?run=app&count=3000"));
        put.get();
        for (int i = 0; i < 3; i++) {
            server.redeploy(ProbeClient.WAR);
        }
        awaitDone("app", 3000);
    }

    @Test
    void a_redeployed_adapter_goes_on_without_a_second_timer_or_a_leak() throws Exception {
        probe.ask("put?run=rar&count=3000");
        for (int i = 0; i < 3; i++) {
            server.redeploy("tasktube.rar");
        }
        Eventually.holds(() -> "RUNNING".equals(probe.tryToAsk("state")), "the adapter runs again");
        awaitDone("rar", 3000);
        // A thread of WildFly's EJB timers may keep the first adapter itself, an empty shell then; docs/operations.md
        Eventually.holds(() -> histogram("org.tasktube.queue.Queue") == 1, "one queue in memory");
        assertThat(histogram("org.tasktube.timers.DeadlineTimerBean")).isLessThanOrEqualTo(1);
        assertThat(threads("org.tasktube.queue.Upkeep.run")).isEqualTo(1);
        assertThat(threads("org.tasktube.inflow.Activation.run")).isEqualTo(1);
        assertThat(timers()).isLessThanOrEqualTo(1);
    }

    /** How many loaders have this class, and its instances at that: a row a loader, counted after a full collection. */
    private static int histogram(String type) {
        return (int) jcmd("GC.class_histogram")
                .lines()
                .filter(line -> line.strip().matches("\\d+: .* " + type.replace(".", "\\.") + "( .*)?"))
                .count();
    }

    private static int threads(String frame) {
        return (int) jcmd("Thread.print")
                .lines()
                .filter(line -> line.contains("at " + frame))
                .count();
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

    private static String jcmd(String command) {
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(server.pid()),
                            command)
                    .redirectErrorStream(true)
                    .start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_suspended_server_works_on_nothing_and_goes_on_when_resumed() {
        server.execute(WildFly.operation("suspend"));
        assertThat(threads("org.tasktube.itest.probe.ProbeBean.onTask")).isZero();
        server.execute(WildFly.operation("resume"));
        probe.ask("put?run=resumed&count=100");
        awaitDone("resumed", 100);
    }

    @Test
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
    void a_bean_with_a_wrong_setting_is_refused_by_its_name() {
        assertThatThrownBy(() -> server.deploy(beanWith("wrong.jar", "retryDelay", "soon")))
                .hasStackTraceContaining("retryDelay")
                .hasStackTraceContaining("soon");
    }

    @Test
    void a_pool_that_is_too_small_is_told_with_both_numbers() {
        CompletableFuture<String> told = server.log().next("TASKTUBE0300");
        server.deploy(beanWith("hungry.jar", "maxSession", "60"));
        assertThat(told).succeedsWithin(java.time.Duration.ofSeconds(20));
        assertThat(told.join()).contains("at most 50").contains("needs up to 62");
        server.undeploy("hungry.jar");
    }

    private static Path beanWith(String name, String property, String value) {
        String descriptor = """
                <ejb-jar xmlns="https://jakarta.ee/xml/ns/jakartaee" version="4.0">
                  <enterprise-beans>
                    <message-driven>
                      <ejb-name>Misconfigured</ejb-name>
                      <ejb-class>org.tasktube.itest.probe.IdleBean</ejb-class>
                      <messaging-type>org.tasktube.TaskListener</messaging-type>
                      <activation-config>
                        <activation-config-property>
                          <activation-config-property-name>tube</activation-config-property-name>
                          <activation-config-property-value>nosuch</activation-config-property-value>
                        </activation-config-property>
                        <activation-config-property>
                          <activation-config-property-name>%s</activation-config-property-name>
                          <activation-config-property-value>%s</activation-config-property-value>
                        </activation-config-property>
                      </activation-config>
                    </message-driven>
                  </enterprise-beans>
                </ejb-jar>
                """.formatted(property, value);
        Path file = DIRECTORY.resolve(name);
        ShrinkWrap.create(JavaArchive.class, name)
                .addClass(IdleBean.class)
                .addAsManifestResource(new StringAsset(descriptor), "ejb-jar.xml")
                .as(ZipExporter.class)
                .exportTo(file.toFile(), true);
        return file;
    }
}
