package org.tasktube.itest.kit;

import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.net.http.HttpResponse.BodyHandlers.ofString;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("full")
class WildFlyIT {

    private static final ServerOptions OPTIONS =
            ServerOptions.defaults().portOffset(20_000).shortLived();

    @TempDir
    private static Path directory;

    private static Path home;

    private final WildFly server = new WildFly(home, OPTIONS);

    @BeforeAll
    static void unpack() {
        home = ServerHome.unpack(directory.resolve("wildfly"));
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void what_is_deployed_survives_a_kill_until_it_is_undeployed() throws Exception {
        server.start();
        server.deploy(page("first"));
        assertThat(get("/page/")).isEqualTo("first");
        server.deploy(page("second"));
        assertThat(get("/page/")).isEqualTo("second");

        long pid = server.pid();
        server.kill();
        assertThat(ProcessHandle.of(pid)).isEmpty();

        server.start();
        assertThat(get("/page/")).isEqualTo("second");
        CompletableFuture<String> undeployed = server.log().next("WFLYSRV0009");
        server.undeploy("page.war");
        Waiting.await(undeployed, Duration.ofSeconds(10), "undeployment");
        server.stop();
        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void commands_go_to_the_server_that_runs_and_else_to_its_configuration() throws IOException {
        server.cli("/system-property=stored:add(value=1)");
        assertThat(Files.readString(server.configuration())).contains("<property name=\"stored\" value=\"1\"/>");

        server.start();
        server.cli("/system-property=live:add(value=2)");
        assertThat(server.read("value", "system-property", "stored").asInt()).isEqualTo(1);
        assertThat(server.read("value", "system-property", "live").asInt()).isEqualTo(2);
        assertThatThrownBy(() -> server.cli("/system-property=live:add(value=3)"))
                .hasMessageContaining("WFLYCTL0212");
    }

    @Test
    void a_datasource_outlives_its_database() {
        try (Postgres postgres = new Postgres(directory.resolve("data"));
                WildFly node = new WildFly(home, OPTIONS.node("with-postgres"))) {
            postgres.start();
            node.add(Datasource.of("TaskDS", postgres));
            node.add(Datasource.of("OtherDS", postgres).poolSize(0, 3));
            node.start();
            assertThat(connects(node)).isTrue();

            postgres.kill();
            assertThat(connects(node)).isFalse();
            postgres.start();
            assertThat(connects(node)).isTrue();
        }
    }

    private static boolean connects(WildFly node) {
        try {
            // an idle connection would pass the test without asking the database
            pool(node, "flush-all-connection-in-pool");
            pool(node, "test-connection-in-pool");
            return true;
        } catch (IllegalStateException refused) {
            return false;
        }
    }

    private static void pool(WildFly node, String operation) {
        node.execute(WildFly.operation(operation, "subsystem", "datasources", "data-source", "TaskDS"));
    }

    private static Path page(String text) throws IOException {
        Path war = directory.resolve("page.war");
        try (OutputStream file = Files.newOutputStream(war);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            zip.putNextEntry(new ZipEntry("index.html"));
            zip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return war;
    }

    private String get(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.http(path)).build();
        return HttpClient.newHttpClient().send(request, ofString()).body();
    }
}
