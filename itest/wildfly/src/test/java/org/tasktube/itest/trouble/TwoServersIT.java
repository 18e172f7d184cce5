package org.tasktube.itest.trouble;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.WildFly;

import static org.assertj.core.api.Assertions.assertThat;

/** Two WildFlys on one PostgreSQL find the tasks of each other by notices: neither polls for an hour. */
class TwoServersIT {

    private static final Path DIRECTORY = Servers.directory("two-servers");
    private static final Postgres POSTGRES = new Postgres(DIRECTORY.resolve("data"));
    private static final List<WildFly> SERVERS = new ArrayList<>();
    private static final List<ProbeClient> CLIENTS = new ArrayList<>();

    @BeforeAll
    static void start() {
        POSTGRES.start();
        for (int i = 0; i < 2; i++) {
            Path directory = DIRECTORY.resolve("server-" + i);
            int offset = Servers.options().portOffset();
            WildFly server =
                    Servers.onPostgres(directory, POSTGRES, Servers.options().portOffset(offset + 50 * i));
            SERVERS.add(server);
            server.cli(
                    "/subsystem=resource-adapters/resource-adapter=tasktube.rar/config-properties=pollInterval:write-attribute(name=value,value=1h)",
                    "/subsystem=resource-adapters/resource-adapter=tasktube.rar/config-properties=nodeName:add(value=server-"
                            + i + ")",
                    "/subsystem=transactions:write-attribute(name=node-identifier,value=server-" + i + ")",
                    "/system-property=tasktube.console.ask-roles-again:add(value=500)");
            server.start();
            ConsoleClient.add(server, "viewer", Optional.of("tasktube-viewer"));
            server.deploy(Wars.of(directory, "beans"));
            ProbeClient client = new ProbeClient(server, "beans");
            CLIENTS.add(client);
            Eventually.holds(() -> "RUNNING".equals(client.tryToAsk("state")), "the adapter runs");
            client.ask("tubes");
        }
    }

    @AfterAll
    static void stop() {
        SERVERS.forEach(WildFly::close);
        POSTGRES.close();
    }

    @Test
    void a_take_on_one_gets_what_the_other_puts() {
        millis(0, 1);
        millis(1, 0);
    }

    @Test
    @Tag("full")
    void it_gets_it_within_tens_of_milliseconds() throws Exception {
        Eventually.holds(() -> millis(0, 1) < 2_000 && millis(1, 0) < 2_000, "each notifies the other");
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            millis.add(millis(i % 2, 1 - i % 2));
        }
        assertThat(millis.stream().sorted().toList().get(25))
                .as("the median of %s ms", millis)
                .isLessThan(250);
        for (WildFly server : SERVERS) {
            assertThat(server.log().lines())
                    .noneMatch(line -> line.contains("TASKTUBE0160") || line.contains("TASKTUBE0162"));
        }
    }

    @Test
    @Tag("full")
    void a_login_of_the_console_holds_on_the_other_server_and_its_end_is_one_on_both() {
        ConsoleClient one = new ConsoleClient(SERVERS.get(0));
        ConsoleClient two = new ConsoleClient(SERVERS.get(1));
        String cookie = one.login("viewer");
        for (ConsoleClient console : List.of(one, two, one)) {
            HttpResponse<String> answer =
                    console.api("GET", "session").header("Cookie", cookie).send();
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(answer.body()).contains("viewer");
        }
        assertThat(two.api("DELETE", "session").header("Cookie", cookie).send().statusCode())
                .isEqualTo(204);
        Eventually.holds(
                () -> one.api("GET", "session").header("Cookie", cookie).send().statusCode() == 401,
                "it has ended on the first server");
        assertThat(two.api("GET", "session").header("Cookie", cookie).send().statusCode())
                .isEqualTo(401);
    }

    /** By then the take waits, of which nothing outside tells. */
    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the time from a put on one server to the answer of a take on the other. */
    private static long millis(int putter, int taker) {
        ProbeClient there = CLIENTS.get(taker);
        CompletableFuture<String> take =
                CompletableFuture.supplyAsync(() -> there.ask("take?tube=called-back&within=60000"));
        pause();
        long put = System.nanoTime();
        CLIENTS.get(putter).ask("put?tube=called-back&text=x");
        assertThat(take.join()).isEqualTo("x");
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - put);
    }
}
