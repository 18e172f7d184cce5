package org.tasktube.itest.trouble;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.WildFly;

import static org.assertj.core.api.Assertions.assertThat;

/** The database is not there when the server starts, comes, is killed in the middle of work, and comes back. */
class DatabaseTroubleIT {

    private static final Path DIRECTORY = Servers.directory("database-trouble");

    private static final Postgres POSTGRES = new Postgres(DIRECTORY.resolve("data"));

    private static WildFly server;
    private static ProbeClient probe;

    @BeforeAll
    static void start() {
        POSTGRES.start();
        server = Servers.onPostgres(DIRECTORY, POSTGRES);
        probe = new ProbeClient(server);
    }

    @AfterAll
    static void stop() {
        server.close();
        POSTGRES.close();
    }

    /** Without the hold on its datasource, the server would leave its row, and its tasks for nodeTimeout. */
    @Test
    @Tag("full")
    void a_server_that_reloads_or_stops_in_order_signs_off() {
        server.start();
        Eventually.holds(() -> nodes() == 1, "the server is registered");
        server.reload();
        Eventually.holds(() -> nodes() == 1, "the server is registered again, and no other is");
        for (Runnable stop : List.<Runnable>of(server::stop, server::terminate)) {
            stop.run();
            assertThat(nodes()).isZero();
            assertThat(number("SELECT count(*) FROM tasktube_node WHERE NOT stopped"))
                    .isZero();
            server.start();
            Eventually.holds(() -> nodes() == 1, "the server is registered");
        }
        server.stop();
        assertThat(server.log().lines()).noneMatch(line -> line.contains("IJ000615"));
    }

    @AfterEach
    void endServer() {
        server.close();
    }

    /** Without a flush it takes until the background validation, each 10 s. */
    private static final Duration LONGER_THAN_A_FLUSH = Duration.ofSeconds(7);

    private static int nodes() {
        return number("SELECT count(*) FROM tasktube_node WHERE NOT dead");
    }

    /** Returns -1 if the database is away. */
    private static int number(String sql) {
        try (Connection connection = DriverManager.getConnection(POSTGRES.url(), Postgres.USER, "");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        } catch (SQLException e) {
            return -1;
        }
    }

    /** The pool is full of dead connections then, and the database is there. */
    @Test
    @Tag("full")
    void a_server_whose_connections_were_all_ended_works_on_at_once() throws Exception {
        server.start();
        server.deploy(ProbeClient.war(DIRECTORY, ""));
        Eventually.holds(() -> "RUNNING".equals(probe.tryToAsk("state")), "the adapter runs");
        for (int round = 0; round < 5; round++) {
            String run = "ended" + round;
            CompletableFuture<String> put =
                    CompletableFuture.supplyAsync(() -> probe.tryToAsk("put?run=" + run + "&count=1000000"));
            // Not as a number: the pool can have a connection that ended in the round before
            Eventually.holds(() -> probe.tryToAsk("done?run=" + run).matches("\\d{3,}"), "some are done");
            number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
            assertThat(put.get()).contains("Exception");
            AtomicReference<String> again = new AtomicReference<>();
            Eventually.holds(
                    LONGER_THAN_A_FLUSH,
                    () -> {
                        again.set(run + "again" + System.nanoTime());
                        return "300".equals(probe.tryToAsk("put?run=" + again + "&count=300"));
                    },
                    () -> "puts go on; the adapter is " + probe.tryToAsk("state"));
            Eventually.holds(() -> "300".equals(probe.tryToAsk("done?run=" + again)), "beans go on");
        }
        server.undeploy(ProbeClient.WAR);
        server.stop();
    }

    @Test
    void the_adapter_waits_for_its_database_and_goes_on_by_itself_losing_nothing() throws Exception {
        POSTGRES.stop();
        CompletableFuture<String> logged = server.log().next("TASKTUBE0101");
        server.startInTrouble();
        assertThat(logged).succeedsWithin(Duration.ofMinutes(1));
        CompletableFuture<String> running = server.log().next("TASKTUBE0100");
        POSTGRES.start();
        assertThat(running).succeedsWithin(Duration.ofMinutes(1));
        server.deploy(ProbeClient.war(DIRECTORY, ""));

        CompletableFuture<String> put =
                CompletableFuture.supplyAsync(() -> probe.tryToAsk("put?run=away&count=1000000"));
        Eventually.holds(() -> probe.number("done?run=away") > 200, "some are done");
        POSTGRES.kill();
        assertThat(put.get()).as("a put fails while the database is away").contains("Exception");
        Eventually.holds(() -> "WAITING".equals(probe.tryToAsk("state")), "the adapter waits");
        assertThat(probe.tryToAsk("put?run=none&count=1"))
                .contains("AdapterNotRunningException")
                .contains("WAITING");
        POSTGRES.start();
        Eventually.holds(() -> "RUNNING".equals(probe.tryToAsk("state")), "the adapter runs again");
        Eventually.holds(() -> "0".equals(probe.tryToAsk("total")), "all that was put is done");
        long done = probe.number("done?run=away");
        assertThat(probe.ask("last?run=away")).isEqualTo(Long.toString(done - 1));
        probe.ask("put?run=back&count=100");
        Eventually.holds(() -> probe.number("done?run=back") == 100, "and it works as before");
    }
}
