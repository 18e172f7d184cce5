package org.tasktube.sample.demo;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The link checker as seen from outside: over HTTP. */
final class LinkCheckerClient {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** A check in which nothing happens for so long is stuck; the longest back-off of the bean is below it. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    // HTTP/2's connection is taken away from requests that take long
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI base;

    /** How far the check is, as the server says it. */
    record Progress(long done, long waiting, long buried) {}

    /** @param base ends with a slash */
    LinkCheckerClient(URI base) {
        this.base = base;
    }

    URI address(String name) {
        return base.resolve(name);
    }

    /** Starts a check and returns its id. */
    long check(List<String> urls) {
        String query =
                urls.stream().map(url -> "url=" + URLEncoder.encode(url, UTF_8)).collect(Collectors.joining("&"));
        String id = send(HttpRequest.newBuilder(base.resolve("check?" + query)).POST(BodyPublishers.noBody()));
        return Long.parseLong(id.strip());
    }

    void clear() {
        send(HttpRequest.newBuilder(base.resolve("check")).DELETE());
    }

    Progress progress() {
        return parse(get("progress"));
    }

    private static Progress parse(String text) {
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            JsonObject json = reader.readObject();
            return new Progress(
                    json.getJsonNumber("done").longValue(),
                    json.getJsonNumber("waiting").longValue(),
                    json.getJsonNumber("buried").longValue());
        }
    }

    /** Waits for the end of a check, and returns its result. */
    Progress await(long check) {
        return await(check, now -> {});
    }

    /** As {@link #await(long)}, showing the progress about each second. */
    Progress await(long check, Consumer<Progress> display) {
        Progress last = progress();
        long lastChange = System.nanoTime();
        String result = get(waitASecond(check));
        while (result.isEmpty()) {
            Progress now = progress();
            display.accept(now);
            if (!now.equals(last)) {
                lastChange = System.nanoTime();
            } else if (System.nanoTime() - lastChange > PATIENCE.toNanos()) {
                throw new IllegalStateException("nothing happens any more: " + now);
            }
            last = now;
            result = get(waitASecond(check));
        }
        return parse(result);
    }

    private static String waitASecond(long check) {
        return "check/" + check + "?seconds=1";
    }

    String get(String name) {
        return send(HttpRequest.newBuilder(base.resolve(name)));
    }

    private String send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = http.send(request.timeout(TIMEOUT).build(), BodyHandlers.ofString());
            if (response.statusCode() >= 300) {
                throw new IllegalStateException(
                        response.uri() + " was answered with " + response.statusCode() + ": " + response.body());
            }
            return response.body();
        } catch (IOException e) {
            throw new IllegalStateException("the link checker at " + base + " does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
