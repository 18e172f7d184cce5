package org.tasktube.itest.console;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonStructure;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import org.tasktube.itest.kit.ConsoleUser;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The console's REST as a script of a user asks it. */
record Rest(URI root, ConsoleUser user) {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Returns the answer, which must be a success with an object. */
    JsonObject get(String path) {
        return parse(succeeded("GET", path, "")).asJsonObject();
    }

    /** Returns the answer, which must be a success with any JSON. */
    JsonStructure getAny(String path) {
        return parse(succeeded("GET", path, ""));
    }

    JsonObject post(String path, String body) {
        return parse(succeeded("POST", path, body)).asJsonObject();
    }

    /** Puts a task and returns its id. */
    String put(String tube, String body) {
        return post("tubes/" + tube + "/tasks", body).getString("id");
    }

    /** Puts a task with a text and returns its id. */
    String putText(String tube, String text) {
        return put(tube, Json.createObjectBuilder().add("data", text).build().toString());
    }

    private String succeeded(String method, String path, String body) {
        HttpResponse<String> answer = send(method, path, body);
        if (answer.statusCode() >= 300) {
            throw new IllegalStateException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }

    /** Sends a request; one with a body is JSON. */
    HttpResponse<String> send(String method, String path, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(root.resolve(path))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .timeout(Duration.ofMinutes(1))
                .header("Authorization", authorization(user));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return send(request.build());
    }

    static HttpResponse<String> send(HttpRequest request) {
        try {
            return HTTP.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(request.method() + " " + request.uri(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static String authorization(ConsoleUser user) {
        return "Basic " + Base64.getEncoder().encodeToString((user.name() + ":" + user.password()).getBytes(UTF_8));
    }

    static JsonStructure parse(String text) {
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            return reader.read();
        }
    }
}
