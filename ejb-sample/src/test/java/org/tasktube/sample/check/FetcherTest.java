package org.tasktube.sample.check;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.Link;
import org.tasktube.sample.links.LinkKind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(30)
class FetcherTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int LIMIT = 100_000;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.start();
    }

    @AfterEach
    void stop() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    @Test
    void a_page_is_read() throws Exception {
        serve("/page", exchange -> answer(exchange, 200, "text/html;charset=utf-8", "<a href='x'>ä</a>"));
        assertThat(get("/page", LONG).contents(address("/page")).links())
                .containsExactly(new Link(LinkKind.PAGE, url("/x"), ""));
    }

    @Test
    void a_style_sheet_is_read() throws Exception {
        serve("/sheet", exchange -> answer(exchange, 200, "text/css", "a { b: url(x.png) }"));
        assertThat(get("/sheet", LONG).contents(address("/sheet")).links())
                .containsExactly(new Link(LinkKind.IMAGE, url("/x.png"), ""));
    }

    @Test
    void a_redirect_is_not_followed_but_leads_to_a_link() throws Exception {
        serve("/old", exchange -> {
            exchange.getResponseHeaders().set("Location", "/new");
            answer(exchange, 301, "text/html", "<a href='/other'>x</a>");
        });
        Answer answer = get("/old", LONG);
        assertThat(answer.status()).isEqualTo(301);
        assertThat(answer.contents(address("/old")).links()).containsExactly(new Link(LinkKind.PAGE, url("/new"), ""));
    }

    @Test
    void a_missing_page_is_an_answer_whose_page_is_not_read() throws Exception {
        serve("/gone", exchange -> answer(exchange, 404, "text/html", "<a href='/home'>not here</a>"));
        Answer answer = get("/gone", LONG);
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.isTrouble()).isFalse();
        assertThat(answer.contents(address("/gone")).links()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503})
    void a_fault_of_the_host_is_trouble(int status) throws Exception {
        serve("/sick", exchange -> answer(exchange, status, "text/plain", "later"));
        assertThat(get("/sick", LONG).isTrouble()).isTrue();
    }

    @Test
    void of_an_image_only_the_head_is_asked_for() throws Exception {
        serve("/x.gif", exchange -> answer(exchange, 200, "image/gif", ""));
        assertThat(head("/x.gif").status()).isEqualTo(200);
        assertThat(asked).containsExactly("HEAD /x.gif");
    }

    @Test
    void what_turns_out_to_be_a_page_is_asked_for_again() throws Exception {
        serve("/x", exchange -> answer(exchange, 200, "text/html", "<a href='y'>y</a>"));
        assertThat(head("/x").contents(address("/x")).links()).hasSize(1);
        assertThat(asked).containsExactly("HEAD /x", "GET /x");
    }

    @Test
    void a_host_that_answers_no_head_is_asked_for_all() throws Exception {
        serve(
                "/x.gif",
                exchange ->
                        answer(exchange, exchange.getRequestMethod().equals("HEAD") ? 405 : 200, "image/gif", "GIF"));
        assertThat(head("/x.gif").status()).isEqualTo(200);
    }

    @Test
    void a_host_that_does_not_answer_is_given_up_in_time() {
        serve("/mute", exchange -> await());
        assertThatThrownBy(() -> get("/mute", SHORT))
                .isInstanceOf(HttpTimeoutException.class)
                .hasMessageContaining("no whole answer in 300 ms from " + url("/mute"));
    }

    @Test
    void a_body_that_does_not_end_is_given_up_in_time() {
        serve("/drip", exchange -> {
            begin(exchange, "text/html");
            exchange.getResponseBody().write("<p>".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            await();
        });
        assertThatThrownBy(() -> get("/drip", SHORT)).isInstanceOf(HttpTimeoutException.class);
    }

    @Test
    void an_endless_page_is_read_up_to_the_limit() throws Exception {
        serve("/endless", exchange -> {
            begin(exchange, "text/html");
            exchange.getResponseBody().write("<a href='x'>x</a>".getBytes(StandardCharsets.UTF_8));
            writeUntilHungUp(exchange);
        });
        Answer answer = get("/endless", LONG);
        assertThat(answer.visit().bytes()).isEqualTo(LIMIT);
        assertThat(answer.contents(address("/endless")).links()).hasSize(1);
    }

    @Test
    void what_is_not_read_is_not_loaded() throws Exception {
        serve("/film", exchange -> {
            begin(exchange, "video/mp4");
            writeUntilHungUp(exchange);
        });
        assertThat(get("/film", LONG).visit().bytes()).isZero();
    }

    @Test
    void a_host_that_is_not_there_is_an_error_that_names_the_request() throws Exception {
        String unreachable;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unreachable = "http://127.0.0.1:" + socket.getLocalPort() + "/";
        }
        assertThatThrownBy(() -> fetcher(LONG).fetch(new Request(Request.Method.GET, unreachable)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("GET " + unreachable);
    }

    private interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    private void serve(String path, Handler handler) {
        server.createContext(path, exchange -> {
            asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            try (exchange) {
                handler.handle(exchange);
            }
        });
    }

    private static void answer(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        boolean withBody = !exchange.getRequestMethod().equals("HEAD") && bytes.length > 0;
        exchange.sendResponseHeaders(status, withBody ? bytes.length : -1);
        if (withBody) {
            exchange.getResponseBody().write(bytes);
        }
    }

    private static void begin(HttpExchange exchange, String type) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(200, 0);
    }

    private void await() {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void writeUntilHungUp(HttpExchange exchange) {
        byte[] more = new byte[8192];
        try {
            while (true) {
                exchange.getResponseBody().write(more);
            }
        } catch (IOException e) {
            // that is the end of it
        }
    }

    private Answer get(String path, Duration timeout) throws Exception {
        return fetcher(timeout).fetch(new Request(Request.Method.GET, url(path)));
    }

    private Answer head(String path) throws Exception {
        return fetcher(LONG).fetch(new Request(Request.Method.HEAD, url(path)));
    }

    private Fetcher fetcher(Duration timeout) {
        return new Fetcher(threads, timeout, LIMIT);
    }

    private Address address(String path) {
        return Address.start(url(path));
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }
}
