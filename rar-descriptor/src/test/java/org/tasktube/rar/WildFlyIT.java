package org.tasktube.rar;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.dmr.ModelNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tasktube.itest.server.ServerHome;
import org.tasktube.itest.server.ServerOptions;
import org.tasktube.itest.server.WildFly;

import static org.assertj.core.api.Assertions.assertThat;

/** Both ways to give a WildFly TaskTube, and the way back. */
class WildFlyIT {

    private static final Path TARGET = Path.of(System.getProperty("target"));
    private static final String[] ADAPTER = {"subsystem", "resource-adapters", "resource-adapter", "tasktube.rar"};

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
    void restore_takes_back_what_configure_did_to_a_server_that_is_stopped() throws IOException {
        create("stopped");
        String before = configuration();

        configure();
        assertThat(configuration()).contains("tasktube.rar");
        restore();
        assertThat(configuration()).isEqualTo(before);
    }

    @Test
    void restore_takes_back_what_configure_did_to_a_server_that_runs() throws Exception {
        create("running");
        server.cli("/subsystem=datasources/data-source=ExampleDS:write-attribute(name=max-pool-size,value=30)");
        String before = configuration();

        server.start();
        configure();
        CompletableFuture<String> undeployed = server.log().next("WFLYSRV0009");
        restore();
        assertThat(undeployed.get(10, TimeUnit.SECONDS)).contains("tasktube-timers.jar");
        assertThat(configuration()).isEqualTo(before);
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    @Test
    void a_configured_server_shows_the_adapter_in_its_management_model() {
        create("configured");
        configure();
        server.start();

        assertThat(server.read("enabled", "deployment", "tasktube-timers.jar").asBoolean())
                .isTrue();
        ModelNode read = WildFly.operation("read-resource", ADAPTER);
        read.get("recursive").set(true);
        read.get("include-runtime").set(true);
        System.out.println(server.execute(read));
        restore();
    }

    @Test
    void a_copy_of_the_rar_into_a_server_is_enough() throws Exception {
        create("copied");
        server.start();
        CompletableFuture<String> bound = server.log().next("java:/TaskTube");
        Files.copy(TARGET.resolve("tasktube.rar"), home.resolve("copied/deployments/tasktube.rar"));
        assertThat(bound.get(30, TimeUnit.SECONDS)).contains("WFLYJCA0007");
    }

    /** A node whose configuration the server has written itself once, so that it does not differ in blanks later. */
    private void create(String node) {
        server = new WildFly(home, ServerOptions.defaults().node(node).portOffset(21_000));
        server.cli("/system-property=first:add", "/system-property=first:remove");
    }

    private void configure() {
        System.out.println(server.cli(tasktube.resolve("configure.cli"), Map.of()));
    }

    private void restore() {
        System.out.println(server.cli(tasktube.resolve("restore.cli"), Map.of()));
    }

    private String configuration() throws IOException {
        return Files.readString(server.configuration());
    }
}
