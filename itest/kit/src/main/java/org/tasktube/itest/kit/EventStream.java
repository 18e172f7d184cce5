package org.tasktube.itest.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Reads the events that the console sends, as an open page does, until it is closed. */
public final class EventStream implements AutoCloseable {

    private static final String NAME = "event: ";
    private static final String DATA = "data: ";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final HttpResponse<Stream<String>> response;
    private final Thread reader = new Thread(this::read, "events");
    private String name = "";

    /**
     * One event.
     *
     * @param data one line, JSON
     */
    public record Event(String name, String data) {}

    /** Returns when the server has begun to answer. */
    public EventStream(URI address, ConsoleUser user) throws IOException, InterruptedException {
        String login = user.name() + ":" + user.password();
        HttpRequest request = HttpRequest.newBuilder(address)
                .header("Accept", "text/event-stream")
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)))
                .timeout(PATIENCE)
                .build();
        response = http.send(request, HttpResponse.BodyHandlers.ofLines());
        reader.start();
    }

    private void read() {
        try {
            response.body().forEach(this::read);
        } catch (UncheckedIOException e) {
            // The end of the stream, or of this reader
        }
    }

    private void read(String line) {
        if (line.startsWith(NAME)) {
            name = line.substring(NAME.length());
        } else if (line.startsWith(DATA)) {
            events.add(new Event(name, line.substring(DATA.length())));
        }
    }

    public int status() {
        return response.statusCode();
    }

    /** Returns the next event; empty if none comes in time. */
    public Optional<Event> next(Duration timeout) throws InterruptedException {
        return Optional.ofNullable(events.poll(timeout.toMillis(), TimeUnit.MILLISECONDS));
    }

    @Override
    public void close() {
        response.body().close();
        try {
            reader.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
