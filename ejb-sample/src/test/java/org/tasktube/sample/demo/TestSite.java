package org.tasktube.sample.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

import static java.nio.charset.StandardCharsets.UTF_8;

/** A site to check, which remembers what it was asked for. */
final class TestSite implements AutoCloseable {

    static {
        // Without it each answer waits 40 ms for the client's TCP, and pages are asked for one after the other
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final Function<String, Response> responses;

    /** What it answers; the header says where a redirect leads. */
    record Response(int status, String type, String body, String location) {

        static Response html(String body) {
            return new Response(200, "text/html;charset=utf-8", body, "");
        }

        static Response status(int status) {
            return new Response(status, "text/plain", "", "");
        }

        static Response movedTo(String location) {
            return new Response(301, "text/plain", "", location);
        }
    }

    /** @param responses the response to a path; called on several threads */
    TestSite(String address, Function<String, Response> responses) throws IOException {
        this.responses = responses;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName(address), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String url(String path) {
        InetSocketAddress address = server.getAddress();
        return "http://" + address.getHostString() + ":" + address.getPort() + path;
    }

    /** Methods and paths, in the order of the requests. */
    List<String> asked() {
        return asked;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            Response response = responses.apply(exchange.getRequestURI().toString());
            byte[] body = response.body().getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", response.type());
            if (!response.location().isEmpty()) {
                exchange.getResponseHeaders().set("Location", response.location());
            }
            boolean withBody = body.length > 0 && !exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(response.status(), withBody ? body.length : -1);
            if (withBody) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
