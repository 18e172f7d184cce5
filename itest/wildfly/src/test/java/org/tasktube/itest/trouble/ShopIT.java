package org.tasktube.itest.trouble;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.WildFly;

import static org.assertj.core.api.Assertions.assertThat;

/** The shop of docs/application.md, on two servers that open at the same time. */
@Tag("full")
class ShopIT {

    private static final int SERVERS = 2;
    private static final int MAILS_A_SECOND = 5;

    private static final Path DIRECTORY = Servers.directory("shop");
    private static final Postgres POSTGRES = new Postgres(DIRECTORY.resolve("data"));
    private static final List<WildFly> SERVER = new ArrayList<>();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @BeforeAll
    static void open() throws Exception {
        POSTGRES.start();
        POSTGRES.execute("CREATE TABLE book (line text, at timestamptz DEFAULT clock_timestamp())");
        Path war = Wars.of(DIRECTORY, "shop");
        for (int i = 0; i < SERVERS; i++) {
            int offset = Servers.options().portOffset() + 50 * i;
            WildFly server = Servers.onPostgres(
                    DIRECTORY.resolve("server-" + i),
                    POSTGRES,
                    Servers.options().portOffset(offset).node("server-" + i));
            SERVER.add(server);
            server.start();
            ConsoleClient.add(server, "clerk", Optional.of("tasktube-operator"));
        }
        CompletableFuture.allOf(SERVER.stream()
                        .map(server -> CompletableFuture.runAsync(() -> server.deploy(war)))
                        .toArray(CompletableFuture[]::new))
                .get();
    }

    @AfterAll
    static void stop() {
        SERVER.forEach(WildFly::close);
        POSTGRES.close();
    }

    @Test
    void an_order_is_shipped_once_after_its_payment_and_its_stock_and_its_mails_take_their_time() {
        int orders = 20;
        for (int i = 0; i < orders; i++) {
            ask("POST", i % SERVERS, "order?order=o" + i + "&customer=ann");
        }
        awaitLines("shipped o%", orders);
        assertThat(POSTGRES.number("SELECT count(*) FROM book s JOIN book b"
                        + " ON b.line IN (replace(s.line, 'shipped', 'paid'), replace(s.line, 'shipped', 'picked'))"
                        + " WHERE s.line LIKE 'shipped o%' AND b.at < s.at"))
                .as("what was done before the shipping of its order")
                .isEqualTo(2L * orders);
        awaitLines("mailed thanks for o%", orders);
        awaitLines("mailed how was it, ann", 1);
        assertThat(POSTGRES.number("SELECT 1000 * extract(epoch FROM max(m.at) - min(o.at)) FROM book m, book o"
                        + " WHERE m.line LIKE 'mailed thanks for o%' AND o.line LIKE 'ordered o%'"))
                .as("the time for %s mails, in ms", orders)
                .isGreaterThanOrEqualTo((orders - 1) / MAILS_A_SECOND * 1000L);
    }

    @Test
    void an_address_that_is_none_holds_the_later_ones_of_its_customer_and_of_no_other() {
        ask("POST", 0, "move?customer=bob&to=nowhere");
        ask("POST", 1, "move?customer=bob&to=Rome");
        ask("POST", 0, "move?customer=cid&to=Paris");
        awaitLines("cid to Paris", 1);
        Eventually.holds(
                () -> POSTGRES.number("SELECT count(*) FROM tasktube_task WHERE utube = 'bob' AND state = '!'") == 1,
                "the first one is BURIED");
        assertThat(lines("bob to Rome")).isZero();
        HttpResponse<String> answer = new ConsoleClient(SERVER.get(1))
                .api("POST", "tubes/addresses/let-go", "{\"utube\":\"bob\",\"reason\":\"told by phone\"}")
                .as(Optional.of("clerk"))
                .send();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        awaitLines("bob to Rome", 1);
    }

    @Test
    void a_print_says_how_far_it_is_and_ends_with_its_order() {
        ask("POST", 0, "order?order=long&customer=dan");
        Eventually.holds(() -> ask("GET", 1, "progress?order=long").endsWith(" of 40"), "it says how far it is");
        ask("POST", 1, "cancel?order=long");
        awaitLines("stopped long", 1);
        assertThat(lines("printed long")).isZero();
        Eventually.holds(() -> ask("GET", 0, "progress?order=long").isEmpty(), "it is gone");
    }

    @Test
    void two_servers_that_open_at_once_have_one_schedule() {
        assertThat(POSTGRES.number("SELECT count(*) FROM tasktube_schedule")).isEqualTo(1);
        POSTGRES.execute("UPDATE tasktube_schedule SET next_at = now()");
        awaitLines("mailed to the boss: the day", 1);
        assertThat(POSTGRES.number("SELECT count(*) FROM tasktube_schedule WHERE next_at > now()"))
                .isEqualTo(1);
    }

    private static void awaitLines(String like, long count) {
        Eventually.holds(() -> lines(like) >= count, "the book has " + like);
        assertThat(lines(like)).as(like).isEqualTo(count);
    }

    private static long lines(String like) {
        return POSTGRES.number("SELECT count(*) FROM book WHERE line LIKE '" + like + "'");
    }

    private static String ask(String method, int server, String path) {
        try {
            HttpResponse<String> answer = HTTP.send(
                    HttpRequest.newBuilder(SERVER.get(server).http("/shop/" + path))
                            .method(method, BodyPublishers.noBody())
                            .build(),
                    BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 204);
            return answer.body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
