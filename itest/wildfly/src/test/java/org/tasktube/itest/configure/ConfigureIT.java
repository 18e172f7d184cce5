package org.tasktube.itest.configure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jboss.dmr.ModelNode;
import org.jboss.dmr.Property;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tasktube.itest.kit.ConsoleUser;
import org.tasktube.itest.kit.ServerHome;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.trouble.Servers;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Both ways to give a WildFly TaskTube, and the way back. */
@Tag("full")
class ConfigureIT {

    private static final Path RAR = Path.of(System.getProperty("tasktube.rar"));
    private static final Path ZIP = Path.of(System.getProperty("tasktube.wildfly"));
    private static final String RUNNING = "TASKTUBE0100";

    @TempDir
    private static Path directory;

    private static Path home;
    private static Path tasktube;

    private WildFly server;

    @BeforeAll
    static void unpack() {
        home = ServerHome.unpack(directory.resolve("wildfly"));
        tasktube = ServerHome.unpack(ZIP, directory.resolve("tasktube"));
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
        server.cliAlone(tasktube.resolve("configure.cli"), Map.of());

        server.start();
        assertThat(server.log().lines()).noneMatch(line -> line.contains(" ERROR "));
        assertThat(statistics().asPropertyList())
                .extracting(Property::getName)
                .contains("ready", "taken", "results", "calls-put", "tubes");
        assertThat(Files.getPosixFilePermissions(home.resolve("configured-stopped/configuration/tasktube-users")))
                .as("hashes of passwords are the server's only")
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));

        server.cliAlone(tasktube.resolve("restore.cli"), Map.of());
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
        assertThat(server.log().lines()).noneMatch(line -> line.contains(" ERROR "));
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

        Files.copy(RAR, home.resolve("copied/deployments/tasktube.rar"));
        assertThat(bound.get(30, SECONDS)).contains("WFLYJCA0007");
        assertThat(running.get(30, SECONDS)).contains("copied");
    }

    @Test
    void a_server_can_be_configured_to_send_statistics_to_graphite() throws Exception {
        create("graphite");
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

            // Without an application there is no tube yet, and nothing to send
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

    @Test
    void a_property_that_cannot_be_right_is_named_before_anything_is_changed() throws Exception {
        create("mistaken");
        server.cli("/system-property=first:add", "/system-property=first:remove");
        String before = configuration();
        Map<String, String> wrong = Map.of(
                "tasktube.threads", "many",
                "tasktube.name", "crm",
                "tasktube.console.port", "65536",
                "tasktube.poll-interval", "5 years",
                "tasktube.create-tables", "yes",
                "tasktube.jndi", "TaskTube",
                "tasktube.migrate", "yes",
                "tasktube.graphite-protocol", "http",
                "tasktube.datasource.jndi", "java:/OrdersDS",
                "tasktube.max-sessions", "${unknown.placeholder}");

        wrong.forEach((name, value) -> assertThatThrownBy(
                        () -> server.cli(tasktube.resolve("configure.cli"), Map.of(name, value)))
                .as(name)
                .hasMessageContaining(value.startsWith("${") ? "unknown.placeholder" : name + " is \"" + value + "\""));
        assertThat(configuration()).isEqualTo(before);
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    @Test
    void a_datasource_that_does_not_commit_with_the_transaction_is_refused() throws Exception {
        create("unjoined");
        server.cli("/subsystem=datasources/data-source=ExampleDS:write-attribute(name=jta,value=false)");
        String before = configuration();

        assertThatThrownBy(this::configure).hasMessageContaining("jta=false");
        assertThat(configuration()).isEqualTo(before);
    }

    @Test
    void an_xa_datasource_is_configured_in_place_of_another_and_restored() throws Exception {
        create("two-phases");
        server.cli(
                "batch",
                "/subsystem=datasources/xa-data-source=OrdersDS:add(jndi-name=java:jboss/datasources/OrdersDS,driver-name=h2)",
                "/subsystem=datasources/xa-data-source=OrdersDS/xa-datasource-properties=URL:add(value=\"jdbc:h2:mem:orders\")",
                "run-batch");
        String before = configuration();
        Map<String, String> orders = Map.of(
                "tasktube.datasource", "OrdersDS", "tasktube.datasource.jndi", "java:jboss/datasources/OrdersDS");

        server.cli(tasktube.resolve("configure.cli"), orders);
        assertThat(configuration()).contains("<max-pool-size>60</max-pool-size>", "java:jboss/datasources/OrdersDS");
        String ofOrders = configuration();
        configure();
        assertThat(configuration())
                .containsOnlyOnce("<max-pool-size>60</max-pool-size>")
                .contains(">java:jboss/datasources/ExampleDS<");
        server.cli(tasktube.resolve("configure.cli"), orders);
        assertThat(configuration().lines())
                .containsExactlyInAnyOrderElementsOf(ofOrders.lines().toList());
        restore();
        assertThat(configuration()).isEqualTo(before);
    }

    @Test
    void another_adapter_has_a_database_threads_and_timers_of_its_own_and_is_removed_alone() throws Exception {
        create("several");
        server.cli("batch", dataSource("CrmDS"), dataSource("MailDS"), dataSource("SmsDS"), "run-batch");
        String before = configuration();
        assertThatThrownBy(() -> configure("tasktube-crm", "CrmDS")).hasMessageContaining("no first adapter yet");
        assertThat(configuration()).isEqualTo(before);
        configure();
        String first = configuration();
        server.start();

        CompletableFuture<String> crm = server.log().next("at java:jboss/datasources/CrmDS");
        CompletableFuture<String> timers = server.log().next("with 'tasktube-crm.rar' resource adapter");
        configure("tasktube-crm", "CrmDS");
        assertThat(crm.get(60, SECONDS)).contains(RUNNING, "tasktube-crm-threads");
        assertThat(timers.get(60, SECONDS)).contains("DeadlineTimerBean");
        assertThat(server.log().lines()).anyMatch(line -> line.contains("web context: '/tasktube-crm'"));
        CompletableFuture<String> mail = server.log().next("at java:jboss/datasources/MailDS");
        configure("tasktube-mail", "MailDS");
        assertThat(mail.get(60, SECONDS)).contains(RUNNING);
        configure("tasktube-crm", "CrmDS");
        assertThatThrownBy(() -> server.cli(
                        tasktube.resolve("configure.cli"),
                        Map.of("tasktube.name", "tasktube-crm", "tasktube.jndi", "java:/Other")))
                .hasMessageContaining("tasktube.jndi is \"java:/Other\", and the adapter has another");
        refusesBesideOthers();
        assertThatThrownBy(() -> restore("tasktube-crn"))
                .hasMessageContaining("tasktube.name is \"tasktube-crn\", and the server has no such adapter");
        server.stop();
        CompletableFuture<String> again = server.log().next("at java:jboss/datasources/CrmDS");
        timers = server.log().next("with 'tasktube-crm.rar' resource adapter");
        server.start();
        assertThat(again.get(60, SECONDS)).contains(RUNNING);
        assertThat(timers.get(60, SECONDS)).contains("DeadlineTimerBean");

        assertThatThrownBy(this::restore).hasMessageContaining("tasktube-mail.configure");
        restore("tasktube-crm");
        restore("tasktube-mail");
        server.stop();
        assertThat(configuration().lines())
                .containsExactlyInAnyOrderElementsOf(first.lines().toList());
        restore();
        assertThat(configuration()).isEqualTo(before);
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    private void refusesBesideOthers() throws IOException {
        String before = configuration();
        assertThatThrownBy(() -> server.cli(tasktube.resolve("configure.cli"), Map.of("tasktube.name", "tasktube-sms")))
                .hasMessageContaining(
                        "tasktube.jndi is \"java:/TaskTube\", which is the name of another connection factory");
        Map<String, String> sms = adapter("tasktube-sms", "ExampleDS", "java:/Sms");
        assertThatThrownBy(() -> server.cli(tasktube.resolve("configure.cli"), sms))
                .hasMessageContaining(
                        "tasktube.datasource is \"ExampleDS\", which is the datasource of another adapter");
        Map<String, String> withoutFile = adapter("tasktube-sms", "SmsDS", "java:/Sms");
        assertThatThrownBy(() -> server.cli(tasktube.resolve("configure.cli"), withoutFile))
                .hasMessageContaining("this directory has no tasktube-sms.properties");
        assertThat(configuration()).isEqualTo(before);
    }

    private static String dataSource(String name) {
        return "/subsystem=datasources/data-source=" + name + ":add(jndi-name=java:jboss/datasources/" + name
                + ",driver-name=h2,connection-url=\"jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1\",user-name=sa)";
    }

    /** With a file of that adapter's name, where its timers look for it. */
    private void configure(String name, String datasource) throws IOException {
        configure(adapter(name, datasource, "java:/" + name));
    }

    private void configure(Map<String, String> own) throws IOException {
        Files.write(
                tasktube.resolve(own.get("tasktube.name") + ".properties"),
                own.entrySet().stream().map(Object::toString).toList());
        server.cli(tasktube.resolve("configure.cli"), own);
    }

    private static Map<String, String> adapter(String name, String datasource, String jndi) {
        return Map.of(
                "tasktube.name",
                name,
                "tasktube.jndi",
                jndi,
                "tasktube.datasource",
                datasource,
                "tasktube.datasource.jndi",
                "java:jboss/datasources/" + datasource);
    }

    private void restore(String name) {
        server.cli(tasktube.resolve("restore.cli"), Map.of("tasktube.name", name));
    }

    @Test
    void a_copied_rar_is_named_before_anything_is_changed() throws Exception {
        create("copied-before");
        server.start();
        CompletableFuture<String> deployed = server.log().next("WFLYSRV0010");
        Files.copy(RAR, home.resolve("copied-before/deployments/tasktube.rar"));
        deployed.get(60, SECONDS);
        String before = configuration();

        assertThatThrownBy(this::configure).hasMessageContaining("activates itself");
        assertThat(configuration()).isEqualTo(before);
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    @Test
    void a_rar_that_activates_itself_is_refused_on_a_configured_server_and_configure_is_the_way_back()
            throws Exception {
        create("configured-before");
        configure();
        CompletableFuture<String> running = server.log().next(RUNNING);
        server.start();
        assertThat(running.get(30, SECONDS)).contains("configured-before");

        CompletableFuture<String> refused = server.log().next("remove the file from standalone/deployments");
        CompletableFuture<String> undeployed = server.log().next("WFLYSRV0009");
        CompletableFuture<String> again = server.log().next(RUNNING);
        Path copied = home.resolve("configured-before/deployments/tasktube.rar");
        Files.copy(RAR, copied);
        assertThat(refused.get(60, SECONDS)).contains("configured TaskTube here for the datasource ExampleDS");
        assertThat(again).isNotDone();

        Files.delete(copied);
        undeployed.get(60, SECONDS);
        configure();
        assertThat(again.get(60, SECONDS)).contains("configured-before");
        server.stop();
        running = server.log().next(RUNNING);
        server.start();
        assertThat(running.get(30, SECONDS)).contains("configured-before");

        server.stop();
        restore();
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    @Test
    void a_server_that_needs_a_restart_is_not_restored_in_part() throws Exception {
        create("restart-first");
        configure();
        server.start();
        server.cli(":server-set-restart-required");
        String before = configuration();
        assertThatThrownBy(this::restore).hasMessageContaining("Restart it");
        assertThat(configuration()).isEqualTo(before);
        server.stop();
        server.start();
        restore();
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    @Test
    void the_console_has_a_port_of_its_own_unless_it_is_to_share_that_of_the_applications() throws Exception {
        create("ports");
        server.cli("/system-property=first:add", "/system-property=first:remove");
        String before = configuration();
        server.start();
        configure();
        assertThat(status(server.http("/tasktube/"))).isEqualTo(404);
        assertThat(status(server.console(""))).isEqualTo(200);
        assertThat(status(server.console("").resolve("/")))
                .as("the root leads to it")
                .isEqualTo(200);
        assertThat(status(server.console("").resolve("/other"))).isEqualTo(404);

        Map<String, String> shared = Map.of("tasktube.console.port", "0");
        assertThatThrownBy(() -> server.cli(tasktube.resolve("configure.cli"), shared))
                .hasMessageContaining("Run restore.cli first");
        assertThat(status(server.console(""))).isEqualTo(200);
        server.cli(tasktube.resolve("configure.cli"), Map.of("tasktube.console.port", "8095"));
        assertThat(configuration()).contains("port=\"8095\"");
        restore();
        assertThat(configuration()).isEqualTo(before);

        server.cli(tasktube.resolve("configure.cli"), shared);
        assertThat(status(server.http("/tasktube/"))).isEqualTo(200);
        restore();
        assertThat(configuration()).isEqualTo(before);
    }

    @Test
    void a_cookie_is_secure_behind_a_proxy_with_https_if_the_listener_believes_it() throws Exception {
        create("proxied");
        configure();
        server.start();
        ConsoleUser user = ConsoleUser.random("proxied").addTo(server, "tasktube-viewer");
        assertThat(cookie(user)).contains("/tasktube; HttpOnly; SameSite=Strict");

        server.cli("/subsystem=undertow/server=tasktube/http-listener=tasktube"
                + ":write-attribute(name=proxy-address-forwarding,value=true)");
        server.reload();
        assertThat(cookie(user)).contains("; secure; HttpOnly; SameSite=Strict");
        restore();
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    /** Returns the cookie of a login by the form, as a proxy with HTTPS forwards it. */
    private String cookie(ConsoleUser user) throws Exception {
        HttpRequest login = HttpRequest.newBuilder(server.console("login"))
                .header("X-Forwarded-Proto", "https")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("user=" + user.name() + "&password=" + user.password()))
                .build();
        HttpResponse<Void> answer = HttpClient.newHttpClient().send(login, HttpResponse.BodyHandlers.discarding());
        return answer.headers().firstValue("Set-Cookie").orElse("none, " + answer.statusCode());
    }

    private static int status(URI address) throws Exception {
        HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void what_was_set_before_stays_though_it_is_what_configure_would_set() throws Exception {
        create("set-before");
        server.cli(
                "/subsystem=datasources/data-source=ExampleDS:write-attribute(name=max-pool-size,value=60)",
                "/subsystem=datasources/data-source=ExampleDS:write-attribute(name=prepared-statements-cache-size,value=64)",
                "/subsystem=ejb3:write-attribute(name=default-resource-adapter-name,value=tasktube.rar)");
        addGlobalModules("org.a", "org.b", "org.c", "org.d", "org.tasktube.api", "org.e");
        String before = configuration();

        configure();
        assertThat(configuration()).containsOnlyOnce("<module name=\"org.tasktube.api\"");
        restore();
        assertThat(configuration()).isEqualTo(before);
    }

    @Test
    void a_logger_of_ones_own_stays_and_so_does_a_level_that_was_set_since() throws Exception {
        create("own-logger");
        server.cli("/system-property=first:add", "/system-property=first:remove");
        String own = "/subsystem=logging/logger=io.undertow.request.io:";
        configure();
        assertThat(configuration()).contains("UT005088");
        server.cli(own + "write-attribute(name=level,value=DEBUG)");
        restore();
        String before = configuration();
        assertThat(before).contains("io.undertow.request.io").doesNotContain("UT005088", "tasktube");

        configure();
        assertThat(configuration()).doesNotContain("UT005088");
        restore();
        assertThat(configuration()).isEqualTo(before);
    }

    @Test
    void a_server_with_many_global_modules_can_be_configured_again_and_restored() throws Exception {
        create("many-modules");
        addGlobalModules("org.a", "org.b", "org.c", "org.d", "org.tasktube.apis", "my.org.tasktube.api");
        String before = configuration();

        configure();
        configure();
        assertThat(configuration()).containsOnlyOnce("<module name=\"org.tasktube.api\"");
        restore();
        assertThat(configuration()).isEqualTo(before);
    }

    @Test
    void a_global_module_that_was_removed_since_is_added_again_and_does_not_prevent_the_restore() throws Exception {
        create("module-removed");
        server.cli("/system-property=first:add", "/system-property=first:remove");
        String before = configuration();

        configure();
        server.cli("/subsystem=ee:undefine-attribute(name=global-modules)");
        configure();
        assertThat(configuration()).containsOnlyOnce("<module name=\"org.tasktube.api\"");

        server.cli("/subsystem=ee:undefine-attribute(name=global-modules)");
        restore();
        assertThat(configuration()).isEqualTo(before);
    }

    @Test
    void another_adapter_whose_file_was_corrected_after_a_failure_has_the_names_of_the_new_one() throws Exception {
        create("corrected");
        server.cli("batch", dataSource("CrmDS"), "run-batch");
        String before = configuration();
        configure();
        server.cli("/subsystem=jca/workmanager=tasktube-crm:add(name=tasktube-crm)");
        Map<String, String> wrong = adapter("tasktube-crm", "CrmDS", "java:/Wrong");
        assertThatThrownBy(() -> configure(wrong)).hasMessageContaining("WFLYCTL0212");
        server.cli("/subsystem=jca/workmanager=tasktube-crm:remove");
        assertThatThrownBy(() -> configure(adapter("tasktube-crm", "CrmDS", "java:/Wrong//")))
                .hasMessageContaining("tasktube.jndi is");

        configure(adapter("tasktube-crm", "CrmDS", "java:/Right/Crm"));
        server.start();
        assertThat(status(server.console("../tasktube-crm/"))).isEqualTo(200);
        assertThat(server.log().lines()).noneMatch(line -> line.contains(" ERROR "));
        server.stop();
        restore("tasktube-crm");
        restore();
        assertThat(configuration().lines())
                .containsExactlyInAnyOrderElementsOf(before.lines().toList());
    }

    @Test
    void what_configure_had_set_and_was_unset_since_is_set_again_and_restored() throws Exception {
        create("unset");
        server.cli(dataSource("OrdersDS"));
        String before = configuration();
        Map<String, String> orders = Map.of(
                "tasktube.datasource", "OrdersDS", "tasktube.datasource.jndi", "java:jboss/datasources/OrdersDS");
        server.cli(tasktube.resolve("configure.cli"), orders);
        String configured = configuration();

        server.cli(
                "/subsystem=ejb3:undefine-attribute(name=default-resource-adapter-name)",
                "/subsystem=ejb3:undefine-attribute(name=default-mdb-instance-pool)",
                "/subsystem=datasources/data-source=OrdersDS:remove",
                dataSource("OrdersDS"));
        server.cli(tasktube.resolve("configure.cli"), orders);
        assertThat(configuration().lines())
                .containsExactlyInAnyOrderElementsOf(configured.lines().toList());
        restore();
        assertThat(configuration().lines())
                .containsExactlyInAnyOrderElementsOf(before.lines().toList());
    }

    @Test
    void configure_and_restore_can_be_run_again_on_a_server_that_goes_on() throws Exception {
        create("again");
        server.cli("/system-property=first:add", "/system-property=first:remove");
        String before = configuration();
        server.start();

        configure();
        CompletableFuture<String> running = server.log().next(RUNNING);
        server.cli(
                tasktube.resolve("configure.cli"),
                Map.of(
                        "tasktube.threads", "120",
                        "tasktube.poll-interval", "700ms",
                        "tasktube.datasource.max-pool-size", "55",
                        "tasktube.graphite-prefix", "tubes"));
        assertThat(running.get(60, SECONDS)).contains("again");
        assertThat(configuration())
                .contains("<max-threads count=\"120\"/>", ">700ms<", "<max-pool-size>55<", ">tubes<");

        restore();
        restore();
        assertThat(configuration()).isEqualTo(before);

        // The server goes on with the classes of the module that was removed; its next start needs the files
        configure();
        assertThat(home.resolve("modules/org/tasktube/api/main/module.xml")).exists();
        server.stop();
        restore();
        assertThat(configuration()).isEqualTo(before);
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    @Test
    void an_older_api_is_replaced_when_no_application_runs_and_refused_before_anything_is_changed_otherwise()
            throws Exception {
        create("upgraded");
        configure();
        Path module = home.resolve("modules/org/tasktube/api/main");
        Path jar;
        try (Stream<Path> files = Files.list(module)) {
            jar = files.filter(file -> file.toString().endsWith(".jar"))
                    .findFirst()
                    .orElseThrow();
        }
        Path old = module.resolve("tasktube-api-0.0.1.jar");
        Files.move(jar, old);
        Path descriptor = module.resolve("module.xml");
        Files.writeString(
                descriptor,
                Files.readString(descriptor).replace(jar.getFileName().toString(), "tasktube-api-0.0.1.jar"));
        server.start();
        String before = configuration();
        assertThatThrownBy(this::configure).hasMessageContaining("admin-only");
        assertThat(configuration()).isEqualTo(before);
        assertThat(old).exists();
        server.stop();

        configure();
        assertThat(old).doesNotExist();
        assertThat(jar).exists();
        CompletableFuture<String> running = server.log().next(RUNNING);
        server.start();
        assertThat(running.get(30, SECONDS)).contains("upgraded");
        restore();
        assertThat(home.resolve("modules/org/tasktube")).doesNotExist();
    }

    private void create(String node) {
        server = new WildFly(home, Servers.options().node(node));
    }

    private void addGlobalModules(String... names) {
        server.cli(Stream.of(names)
                .map(name -> "/subsystem=ee:list-add(name=global-modules,value={name=" + name + ",slot=main})")
                .toArray(String[]::new));
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
