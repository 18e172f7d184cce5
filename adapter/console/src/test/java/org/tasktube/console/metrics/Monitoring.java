package org.tasktube.console.metrics;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files for Prometheus and Grafana in tasktube-wildfly.zip. */
final class Monitoring {

    private static final Path DIRECTORY = Path.of("..", "..", "rar-descriptor/src/main/wildfly/monitoring");

    static final Path RULES = DIRECTORY.resolve("tasktube.rules.yml");
    static final Path DASHBOARD = DIRECTORY.resolve("tasktube-dashboard.json");
    static final Path PAGE = Path.of("..", "..", "docs/metrics.md");

    private Monitoring() {}

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JsonObject dashboard() {
        try (JsonReader reader = Json.createReader(Files.newBufferedReader(DASHBOARD))) {
            return reader.readObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<JsonObject> panels() {
        return objects(dashboard().getJsonArray("panels"));
    }

    static Stream<JsonObject> variables() {
        return objects(dashboard().getJsonObject("templating").getJsonArray("list"));
    }

    /** Returns the queries of all panels, in PromQL with Grafana's variables. */
    static List<String> queries() {
        return panels().flatMap(panel -> objects(panel.getJsonArray("targets")))
                .map(target -> target.getString("expr"))
                .toList();
    }

    private static Stream<JsonObject> objects(JsonArray array) {
        return array.stream().map(JsonValue::asJsonObject);
    }
}
