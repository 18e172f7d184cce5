package org.tasktube.itest.trouble;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import org.tasktube.itest.kit.ConsoleUser;
import org.tasktube.itest.kit.WildFly;

/** The console's REST, as a script asks it. */
final class ConsoleClient {

    private static final String API = "api/v1/";

    private final WildFly server;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    ConsoleClient(WildFly server) {
        this.server = server;
    }

    /** Adds a user whose password is the name. */
    static void add(WildFly server, String user, Optional<String> role) {
        ConsoleUser named = new ConsoleUser(user, user);
        role.ifPresentOrElse(name -> named.addTo(server, name), () -> named.addTo(server));
    }

    /** A request that grows; a header may be added. */
    static final class Request {

        private final ConsoleClient client;
        private final HttpRequest.Builder builder;

        private Request(ConsoleClient client, String method, String path, BodyPublisher body) {
            this.client = client;
            this.builder = HttpRequest.newBuilder(client.server.console(path))
                    .method(method, body)
                    .timeout(Duration.ofMinutes(1));
        }

        /** Without a user, nobody is logged in. */
        Request as(Optional<String> user) {
            user.ifPresent(name -> header(
                    "Authorization",
                    "Basic "
                            + Base64.getEncoder()
                                    .encodeToString((name + ":" + name).getBytes(StandardCharsets.UTF_8))));
            return this;
        }

        Request header(String name, String value) {
            builder.header(name, value);
            return this;
        }

        HttpResponse<String> send() {
            try {
                return client.http.send(builder.build(), BodyHandlers.ofString());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    Request page(String path) {
        return pageBy("GET", path);
    }

    Request pageBy(String method, String path) {
        return new Request(this, method, path.substring(1), BodyPublishers.noBody());
    }

    /** A form, as the login sends it. */
    Request form(String path, String fields) {
        return new Request(this, "POST", path.substring(1), BodyPublishers.ofString(fields))
                .header("Content-Type", "application/x-www-form-urlencoded");
    }

    /** Logs a user in whose password is the name. Returns the cookie of that. */
    String login(String user) {
        return form("/login", "user=" + user + "&password=" + user)
                .send()
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow()
                .split(";", 2)[0];
    }

    /** Without a body, as GET and DELETE are. */
    Request api(String method, String path) {
        return new Request(this, method, API + path, BodyPublishers.noBody());
    }

    Request api(String method, String path, String body) {
        return new Request(this, method, API + path, BodyPublishers.ofString(body))
                .header("Content-Type", "application/json");
    }
}
