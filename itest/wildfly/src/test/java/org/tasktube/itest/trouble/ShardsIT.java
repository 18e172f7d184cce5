package org.tasktube.itest.trouble;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.ConfiguredHome;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.shards.Shard;
import org.tasktube.itest.watchdog.FullRun;

import static org.assertj.core.api.Assertions.assertThat;

/** The application of docs/scale.md: its tenants are in two databases, each with an adapter of its own. */
@Tag("trouble")
@Tag("full")
class ShardsIT {

    private static final int TENANTS = 20;
    private static final int MOVES = FullRun.size(4, 10);
    private static final int CUSTOMERS = 4;
    private static final int DELAYED = 100;
    private static final int ORDERS = FullRun.size(100, 300);
    private static final int ROUNDS = FullRun.size(1, 5);
    private static final String WAITING = "SELECT id FROM tasktube_task WHERE state IN ('r', 't') LIMIT 1";

    private static final Path DIRECTORY = Servers.directory("shards");
    private static final Map<String, String> SETTINGS = Map.of("max_prepared_transactions", "100");
    private static final CommitCrash CRASH = new CommitCrash(DIRECTORY);
    private static final List<String> SHARDS = List.of("first", "second");
    private static final List<Postgres> DATABASES = List.of(
            new Postgres(DIRECTORY.resolve("first"), SETTINGS), new Postgres(DIRECTORY.resolve("second"), SETTINGS));
    private static final String TABLES = "CREATE TABLE tenant (name text PRIMARY KEY);"
            + "CREATE TABLE placed (tenant text, number text); CREATE TABLE shipped (tenant text, number text)";

    private static final String OF_NOMAD = " FROM tasktube_task WHERE convert_from(data, 'UTF8') LIKE '%nomad%'";

    private static final String BINDING = """
            <jboss:ejb-jar xmlns:jboss="http://www.jboss.com/xml/ns/javaee" xmlns="https://jakarta.ee/xml/ns/jakartaee"
                xmlns:r="urn:resource-adapter-binding:2.0" xmlns:p="urn:ejb-pool:2.0" version="4.0">
              <assembly-descriptor>
                <r:resource-adapter-binding>
                  <ejb-name>ShippingSecond</ejb-name>
                  <r:resource-adapter-name>tasktube-second.rar</r:resource-adapter-name>
                </r:resource-adapter-binding>
                <p:pool>
                  <ejb-name>ShippingSecond</ejb-name>
                  <p:bean-instance-pool-ref>tasktube-second</p:bean-instance-pool-ref>
                </p:pool>
              </assembly-descriptor>
            </jboss:ejb-jar>
            """;

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static WildFly server;

    @BeforeAll
    static void start() throws IOException {
        for (Postgres database : DATABASES) {
            database.start();
            database.execute(TABLES);
        }
        server = new WildFly(ConfiguredHome.POSTGRESQL.copyTo(DIRECTORY), CRASH.options());
        List<String> commands = new ArrayList<>();
        commands.add("/subsystem=datasources/data-source=ExampleDS:remove");
        commands.addAll(Servers.xaDatasource("ExampleDS", DATABASES.get(0)));
        commands.addAll(Servers.xaDatasource("SecondDS", DATABASES.get(1)));
        server.cli(commands.toArray(String[]::new));
        addAdapter();
        server.start();
        server.deploy(Wars.of(DIRECTORY, "shards", BINDING));
    }

    private static void addAdapter() throws IOException {
        Map<String, String> second = Map.of(
                "tasktube.name",
                "tasktube-second",
                "tasktube.jndi",
                "java:/TaskTubeSecond",
                "tasktube.datasource",
                "SecondDS",
                "tasktube.datasource.jndi",
                "java:jboss/datasources/SecondDS",
                "tasktube.node-timeout",
                "2s");
        Path scripts = DIRECTORY.resolve("tasktube");
        Files.write(
                scripts.resolve("tasktube-second.properties"),
                second.entrySet().stream().map(Object::toString).toList());
        server.cli(scripts.resolve("configure.cli"), second);
    }

    @AfterAll
    static void stop() {
        server.close();
        DATABASES.forEach(Postgres::close);
    }

    @Test
    void the_rows_and_the_tasks_of_a_tenant_are_in_one_database() {
        Map<String, List<String>> of = new HashMap<>();
        for (int i = 0; i < TENANTS; i++) {
            String tenant = "one-" + i;
            String home = post("tenant?tenant=" + tenant);
            of.computeIfAbsent(home, any -> new ArrayList<>()).add(tenant);
            assertThat(post("order?tenant=" + tenant + "&number=1")).isEqualTo(home);
        }
        assertThat(of.keySet()).containsExactlyInAnyOrderElementsOf(SHARDS);
        for (int i = 0; i < SHARDS.size(); i++) {
            Postgres database = DATABASES.get(i);
            String shipped = "SELECT tenant FROM shipped WHERE tenant LIKE 'one-%'";
            int all = of.get(SHARDS.get(i)).size();
            Eventually.holds(() -> database.rows(shipped).size() == all, "all is shipped");
            assertThat(database.rows(shipped)).containsExactlyInAnyOrderElementsOf(of.get(SHARDS.get(i)));
        }
    }

    @Test
    void a_further_shard_gets_its_share_of_the_tenants_and_no_other_one_changes_its_place() {
        List<Shard> two = List.of(new Shard("first", null, null), new Shard("second", null, null));
        List<Shard> three = List.of(two.get(0), two.get(1), new Shard("third", null, null));
        int entered = 0;
        for (int i = 0; i < 30_000; i++) {
            String before = Shard.ranked(two, "tenant " + i).get(0).name();
            String after = Shard.ranked(three, "tenant " + i).get(0).name();
            assertThat(after).isIn(before, "third");
            entered += after.equals("third") ? 1 : 0;
        }
        assertThat(entered).isBetween(9_500, 10_500);
    }

    @Test
    void a_tenant_that_moves_under_load_keeps_all_its_orders_and_each_is_shipped_once() throws Exception {
        String home = post("tenant?tenant=nomad");
        post("order?tenant=nomad&number=later&seconds=3600");
        post("order?tenant=nomad&number=wrong");
        Eventually.holds(() -> database(home).number("SELECT count(*)" + OF_NOMAD + " AND state = '!'") == 1, "BURIED");
        List<String> placed = new ArrayList<>();
        String now = home;
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService customers = Executors.newFixedThreadPool(CUSTOMERS);
        try {
            List<Future<List<String>>> orders = new ArrayList<>();
            for (int i = 0; i < CUSTOMERS; i++) {
                String customer = "c" + i;
                orders.add(customers.submit(() -> order(customer, done)));
            }
            for (int i = 0; i < MOVES; i++) {
                String before = now;
                long shipped = database(before).number("SELECT count(*) FROM shipped WHERE tenant = 'nomad'");
                Eventually.holds(
                        () -> database(before).number("SELECT count(*) FROM shipped WHERE tenant = 'nomad'")
                                > shipped + 50,
                        "it works where it is");
                now = other(before);
                long begun = System.nanoTime();
                post("move?tenant=nomad&to=" + now);
                System.out.println("moved in " + (System.nanoTime() - begun) / 1_000_000 + " ms");
            }
            done.set(true);
            for (Future<List<String>> each : orders) {
                placed.addAll(each.get());
            }
        } finally {
            done.set(true);
            customers.shutdown();
        }
        Postgres last = database(now);
        Eventually.holds(
                () -> last.number("SELECT count(*) FROM shipped WHERE tenant = 'nomad'") >= placed.size(),
                "all is shipped");
        System.out.println(placed.size() + " orders in " + MOVES + " moves");
        String states = "SELECT state" + OF_NOMAD + " ORDER BY state";
        Eventually.holds(() -> last.rows(states).equals(List.of("!", "~")), () -> last.rows(states) + " are left");
        assertThat(last.rows("SELECT number FROM shipped WHERE tenant = 'nomad'"))
                .containsExactlyInAnyOrderElementsOf(placed);
        assertThat(last.rows("SELECT number FROM placed WHERE tenant = 'nomad' AND number NOT IN ('later', 'wrong')"))
                .containsExactlyInAnyOrderElementsOf(placed);
        assertThat(last.rows("SELECT 1" + OF_NOMAD + " AND event_at > now() + interval '50 minutes'"))
                .hasSize(1);
        Postgres left = database(other(now));
        assertThat(left.rows("SELECT name FROM tenant WHERE name = 'nomad'"
                        + " UNION ALL SELECT number FROM placed WHERE tenant = 'nomad'"
                        + " UNION ALL SELECT number FROM shipped WHERE tenant = 'nomad'"
                        + " UNION ALL SELECT state::text" + OF_NOMAD))
                .isEmpty();
    }

    @Test
    void a_server_that_dies_within_the_commit_of_a_move_leaves_the_tenant_in_one_database_with_all_it_had()
            throws Exception {
        String home = post("tenant?tenant=heavy");
        for (int i = 0; i < DELAYED; i++) {
            post("order?tenant=heavy&number=" + i + "&seconds=7200");
        }
        Set<Boolean> moved = new HashSet<>();
        for (int place = 0; place < CommitCrash.PLACES.size(); place++) {
            String to = other(home);
            Path armed = Files.createFile(CRASH.armed(place));
            Eventually.holds(() -> dies("move?tenant=heavy&to=" + to), "the server has died");
            Files.delete(armed);
            assertThat(prepared()).as(CommitCrash.PLACES.get(place)).isNotEmpty();
            server.start();
            Eventually.holds(() -> prepared().isEmpty(), () -> "all is recovered of " + prepared());
            List<String> those = SHARDS.stream()
                    .filter(shard -> database(shard).number("SELECT count(*) FROM tenant WHERE name = 'heavy'") == 1)
                    .toList();
            assertThat(those).hasSize(1);
            moved.add(those.equals(List.of(to)));
            home = those.get(0);
            assertThat(rowsOfHeavy(home)).isEqualTo(2 * DELAYED);
            assertThat(rowsOfHeavy(other(home))).isZero();
        }
        assertThat(moved).containsExactlyInAnyOrder(true, false);
    }

    /** Asks, and returns whether the server has died of it; it may still be starting. */
    private static boolean dies(String question) {
        HTTP.sendAsync(request(question), BodyHandlers.ofString())
                .handle((answer, failure) -> failure)
                .join();
        return !server.isRunning();
    }

    private static List<String> prepared() {
        return DATABASES.stream()
                .flatMap(each -> each.rows("SELECT gid FROM pg_prepared_xacts").stream())
                .toList();
    }

    private static long rowsOfHeavy(String shard) {
        return database(shard)
                .number("SELECT (SELECT count(*) FROM placed WHERE tenant = 'heavy')"
                        + " + (SELECT count(*) FROM tasktube_task WHERE event_at > now() + interval '70 minutes')");
    }

    @Test
    void a_tenant_that_moves_holds_up_no_other_one_and_nobody_of_its_name_signs_up_meanwhile() throws Exception {
        String home = post("tenant?tenant=still");
        int neighbours = 0;
        while (!post("tenant?tenant=neighbour-" + neighbours).equals(home)) {
            neighbours++;
        }
        String neighbour = "neighbour-" + neighbours;
        // It keeps the move from its end, after all tasks are moved
        try (Connection other = DriverManager.getConnection(database(home).url(), Postgres.USER, "");
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT name FROM tenant WHERE name = 'still' FOR UPDATE");
            post("orders?tenant=still&from=0&count=50");
            CompletableFuture<HttpResponse<String>> moved =
                    HTTP.sendAsync(request("move?tenant=still&to=" + other(home)), BodyHandlers.ofString());
            Eventually.holds(
                    () -> database(home)
                                    .number("SELECT count(*) FROM pg_locks WHERE locktype IN ('tuple', 'transactionid')"
                                            + " AND NOT granted")
                            > 0,
                    "the move waits at its end");
            // As half of a move that has not ended: its tenant may be in no database that one can see
            statement.execute("SELECT pg_advisory_xact_lock(hashtextextended('ghost', 0))");
            assertThat(status("tenant?tenant=ghost")).isEqualTo(500);
            post("orders?tenant=" + neighbour + "&from=0&count=20");
            Eventually.holds(
                    () -> database(home).number("SELECT count(*) FROM shipped WHERE tenant = '" + neighbour + "'")
                            == 20,
                    "others' orders are shipped");
            other.rollback();
            assertThat(moved.get().statusCode()).isEqualTo(204);
        }
        post("tenant?tenant=ghost");
        assertThat(status("tenant?tenant=still")).isEqualTo(500);
        Postgres last = database(other(home));
        Eventually.holds(
                () -> last.number("SELECT count(*) FROM shipped WHERE tenant = 'still'") == 50, "all is shipped");
        assertThat(database(home).number("SELECT count(*) FROM tenant WHERE name = 'still'"))
                .isZero();
    }

    private static int status(String question) throws Exception {
        return HTTP.send(request(question), BodyHandlers.ofString()).statusCode();
    }

    @Test
    void what_two_databases_do_beside_one_is_measured() throws Exception {
        List<String> one = new ArrayList<>();
        List<String> two = new ArrayList<>();
        for (int i = 0; one.size() < CUSTOMERS || two.size() < CUSTOMERS; i++) {
            String tenant = "fast-" + i;
            boolean isFirst = post("tenant?tenant=" + tenant).equals(SHARDS.get(0));
            if (isFirst && one.size() < CUSTOMERS) {
                one.add(tenant);
            }
            long alike =
                    two.stream().filter(other -> one.contains(other) == isFirst).count();
            if (two.size() < CUSTOMERS && alike < CUSTOMERS / 2) {
                two.add(tenant);
            }
        }
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            long first = millis(one, round * 2);
            long second = millis(two, round * 2 + 1);
            System.out.println(
                    CUSTOMERS * ORDERS + " orders took " + first + " ms in one database, " + second + " ms in two");
            ratios.add(first / (double) second);
        }
        Collections.sort(ratios);
        System.out.println("two databases did " + ratios.get(ROUNDS / 2) + " times as much as one");
    }

    /** Has each tenant place orders at the same time, and returns when all are shipped. */
    private static long millis(List<String> tenants, int round) throws Exception {
        long begun = System.nanoTime();
        ExecutorService customers = Executors.newFixedThreadPool(tenants.size());
        try {
            List<Future<String>> orders = tenants.stream()
                    .map(tenant -> customers.submit(
                            () -> post("orders?tenant=" + tenant + "&from=" + round * ORDERS + "&count=" + ORDERS)))
                    .toList();
            for (Future<String> each : orders) {
                each.get();
            }
        } finally {
            customers.shutdown();
        }
        Eventually.holds(
                () -> DATABASES.stream().allMatch(each -> each.rows(WAITING).isEmpty()), "all is shipped");
        return (System.nanoTime() - begun) / 1_000_000;
    }

    private static List<String> order(String customer, AtomicBoolean done) {
        List<String> placed = new ArrayList<>();
        for (int i = 0; !done.get(); i++) {
            post("order?tenant=nomad&number=" + customer + "-" + i);
            placed.add(customer + "-" + i);
        }
        return placed;
    }

    private static Postgres database(String shard) {
        return DATABASES.get(SHARDS.indexOf(shard));
    }

    private static String other(String shard) {
        return SHARDS.get(1 - SHARDS.indexOf(shard));
    }

    private static HttpRequest request(String question) {
        return HttpRequest.newBuilder(server.http("/shards/" + question))
                .POST(BodyPublishers.noBody())
                .build();
    }

    private static String post(String question) {
        try {
            HttpResponse<String> answer = HTTP.send(request(question), BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(question + ": " + answer.body()).isBetween(200, 204);
            return answer.body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(question, e);
        }
    }
}
