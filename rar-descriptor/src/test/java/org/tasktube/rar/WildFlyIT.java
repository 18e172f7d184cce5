package org.tasktube.rar;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jboss.dmr.ModelNode;
import org.jboss.dmr.Property;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tasktube.itest.server.ServerHome;
import org.tasktube.itest.server.ServerOptions;
import org.tasktube.itest.server.WildFly;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Both ways to give a WildFly TaskTube, and the way back. */
class WildFlyIT {

    private static final Path TARGET = Path.of(System.getProperty("target"));
    private static final String RUNNING = "TASKTUBE0100";

    @TempDir
    private static Path directory;

    private static Path home;
    private static Path tasktube;

    private WildFly server;

    @BeforeAll
    static void unpack() {
        home = ServerHome.unpack(directory.resolve("wildfly"));
        tasktube = ServerHome.unpack(TARGET.resolve("tasktube-wildfly.zip"), directory.resolve("tasktube"));
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void a_stopped_server_can_be_configured_and_restored_when_it_runs() throws Exception {
        create("configured-stopped");
        // have the server write its configuration once itself, so that it does not differ in blanks later
        server.cli("/system-property=first:add", "/system-property=first:remove");
        String before = configuration();
        configure();

        server.start();
        assertThat(server.log().lines()).noneMatch(line -> line.contains(" ERROR "));
        assertThat(statistics().asPropertyList()).extracting(Property::getName).contains("ready", "taken", "calls-put");

        restore();
        assertThat(configuration()).isEqualTo(before);
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    @Test
    void a_running_server_can_be_configured_and_restored_when_it_is_stopped() throws Exception {
        create("configured-running");
        server.cli("/subsystem=datasources/data-source=ExampleDS:write-attribute(name=max-pool-size,value=30)");
        String before = configuration();
        server.start();
        CompletableFuture<String> running = server.log().next(RUNNING);

        configure();
        assertThat(running.get(30, SECONDS)).contains("configured-running");
        server.stop();

        restore();
        assertThat(configuration()).isEqualTo(before);
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    @Test
    void a_copy_of_the_rar_into_a_server_is_enough() throws Exception {
        create("copied");
        server.start();
        CompletableFuture<String> bound = server.log().next("java:/TaskTube");
        CompletableFuture<String> running = server.log().next(RUNNING);

        Files.copy(TARGET.resolve("tasktube.rar"), home.resolve("copied/deployments/tasktube.rar"));
        assertThat(bound.get(30, SECONDS)).contains("WFLYJCA0007");
        assertThat(running.get(30, SECONDS)).contains("copied");
    }

    @Test
    void a_server_can_be_configured_to_send_statistics_to_graphite() throws Exception {
        create("told");
        try (ServerSocket graphite = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            graphite.setSoTimeout(30_000);
            server.cli(
                    tasktube.resolve("configure.cli"),
                    Map.of(
                            "tasktube.graphite-host",
                            "127.0.0.1",
                            "tasktube.graphite-port",
                            Integer.toString(graphite.getLocalPort()),
                            "tasktube.graphite-interval",
                            "1s"));
            server.start();

            // Without an application there is no tube yet, and nothing to be told
            try (Socket connection = graphite.accept()) {
                assertThat(connection.getInputStream().readAllBytes()).isEmpty();
            }
            assertThat(server.log().lines())
                    .noneMatch(line -> line.contains(" ERROR ") || line.contains(" WARN  [org.tasktube"));
        }
        restore();
    }

    @Test
    void a_datasource_that_the_server_does_not_have_is_named_before_anything_is_changed() throws Exception {
        create("misnamed");
        server.cli("/system-property=first:add", "/system-property=first:remove");
        String before = configuration();

        assertThatThrownBy(
                        () -> server.cli(tasktube.resolve("configure.cli"), Map.of("tasktube.datasource", "OrdersDS")))
                .hasMessageContaining("OrdersDS")
                .hasMessageContaining("not found");
        assertThat(configuration()).isEqualTo(before);
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    private void create(String node) {
        server = new WildFly(home, ServerOptions.defaults().node(node).portOffset(21_000));
    }

    private void configure() {
        server.cli(tasktube.resolve("configure.cli"), Map.of());
    }

    private void restore() {
        server.cli(tasktube.resolve("restore.cli"), Map.of());
    }

    private ModelNode statistics() {
        ModelNode read = WildFly.operation(
                "read-resource",
                "subsystem",
                "resource-adapters",
                "resource-adapter",
                "tasktube.rar",
                "statistics",
                "extended");
        read.get("include-runtime").set(true);
        return server.execute(read);
    }

    private String configuration() throws IOException {
        return Files.readString(server.configuration());
    }
}
