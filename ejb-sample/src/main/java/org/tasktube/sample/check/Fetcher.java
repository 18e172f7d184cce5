package org.tasktube.sample.check;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Fetches pages and files, each within a limit of time and size. */
@ApplicationScoped
public class Fetcher {

    /**
     * The timeout of an answer with its body. Two of them, for a HEAD and a GET, are shorter than the ttr of a task.
     */
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** The largest part of a page that is read, in bytes. */
    static final int MAX_BODY = 16 << 20;

    private static final String AGENT = "TaskTube-link-checker/0.1";

    /** The server's own threads. */
    @Resource
    private ManagedExecutorService threads;

    private HttpClient client;
    private Duration timeout;
    private int maxBody;

    /** For the container. */
    protected Fetcher() {}

    Fetcher(Executor executor, Duration timeout, int maxBody) {
        begin(executor, timeout, maxBody);
    }

    @PostConstruct
    void begin() {
        begin(threads, TIMEOUT, MAX_BODY);
    }

    private void begin(Executor executor, Duration within, int upTo) {
        client = HttpClient.newBuilder()
                .executor(executor)
                // a redirect is a finding
                .followRedirects(HttpClient.Redirect.NEVER)
                // otherwise each new connection in clear text asks for an upgrade to HTTP/2
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(within)
                .build();
        timeout = within;
        maxBody = upTo;
    }

    /**
     * Fetches a page, or the head of a file. If the file turns out to be a page, or its host does not answer a HEAD,
     * fetches all of it.
     */
    Answer fetch(Request request) throws IOException, InterruptedException {
        Answer answer = ask(request);
        if (request.method() == Request.Method.HEAD && isBetterAskedForWhole(answer)) {
            return ask(request.whole());
        }
        return answer;
    }

    private static boolean isBetterAskedForWhole(Answer answer) {
        boolean headRefused = answer.status() == 405 || answer.status() == 501;
        return headRefused || (answer.status() == 200 && answer.type().isHtml());
    }

    private Answer ask(Request request) throws IOException, InterruptedException {
        long start = System.nanoTime();
        HttpResponse<byte[]> response = send(request);
        return new Answer(
                response.statusCode(),
                contentType(response.headers()),
                response.headers().firstValue("Location"),
                response.body(),
                Duration.ofNanos(System.nanoTime() - start));
    }

    private HttpResponse<byte[]> send(Request request) throws IOException, InterruptedException {
        HttpRequest http = HttpRequest.newBuilder(URI.create(request.url()))
                .method(request.method().name(), BodyPublishers.noBody())
                .header("User-Agent", AGENT)
                .build();
        CompletableFuture<HttpResponse<byte[]>> response = client.sendAsync(http, this::body);
        try {
            // HttpRequest.timeout covers the headers only, and a body can be slow without end
            return response.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("no whole answer in " + timeout.toMillis() + " ms from " + request.url());
        } catch (ExecutionException e) {
            throw new IOException(request.text() + ": " + e.getCause(), e.getCause());
        } finally {
            response.cancel(true);
        }
    }

    private BodySubscriber<byte[]> body(ResponseInfo response) {
        ContentType type = contentType(response.headers());
        boolean read = response.statusCode() == 200 && (type.isHtml() || type.isStyleSheet());
        return new LimitedBody(read ? maxBody : 0);
    }

    private static ContentType contentType(HttpHeaders headers) {
        return new ContentType(headers.firstValue("Content-Type").orElse(""));
    }
}
