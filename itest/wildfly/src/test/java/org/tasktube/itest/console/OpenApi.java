package org.tasktube.itest.console;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The document that the server serves, and whether an answer is as it says. */
final class OpenApi {

    private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");
    private static final String PROBLEM = "application/problem+json";

    /** Answers of the address or of the protocol, not of an operation. */
    private static final Set<Integer> OF_NO_OPERATION = Set.of(400, 401, 403, 404, 405, 406, 413, 414, 415, 431);

    /** No answer has one of these, because no request sends them. */
    private static final List<String> INSIDE = List.of(
            "\tat ", "Exception", "org.tasktube", "org.jboss", "org.hibernate", "io.undertow", "java.lang", "SELECT ");

    private final JsonObject document;
    private final Map<String, JsonObject> operations = new TreeMap<>();

    OpenApi(JsonObject document) {
        this.document = document;
        document.getJsonObject("paths")
                .forEach((path, item) -> item.asJsonObject().forEach((method, operation) -> {
                    if (METHODS.contains(method)) {
                        operations.put(
                                method.toUpperCase(java.util.Locale.ROOT) + " " + path, operation.asJsonObject());
                    }
                }));
    }

    /** The methods with their paths, such as {@code GET /tubes/{tube}}. */
    List<String> operations() {
        return List.copyOf(operations.keySet());
    }

    String right(String operation) {
        return operations.get(operation).getString("x-right");
    }

    /** The parameters of the path and of the operation. */
    List<JsonObject> parameters(String operation) {
        List<JsonObject> all = new ArrayList<>();
        JsonObject item =
                document.getJsonObject("paths").getJsonObject(operation.substring(operation.indexOf(' ') + 1));
        for (JsonObject owner : List.of(item, operations.get(operation))) {
            if (owner.get("parameters") instanceof JsonArray parameters) {
                parameters.forEach(parameter -> all.add(resolve(parameter)));
            }
        }
        return all;
    }

    /** The schema of the body, or an empty object if there is no body. */
    JsonObject body(String operation) {
        JsonObject body = operations.get(operation).getJsonObject("requestBody");
        return body == null
                ? JsonValue.EMPTY_JSON_OBJECT
                : resolve(body.getJsonObject("content")
                        .getJsonObject("application/json")
                        .get("schema"));
    }

    JsonObject resolve(JsonValue value) {
        JsonObject object = value.asJsonObject();
        if (object.get("$ref") instanceof JsonString reference) {
            return document.getValue(reference.getString().substring(1)).asJsonObject();
        }
        return object;
    }

    /** Returns how an answer differs from the document, or an empty text. */
    String faultIn(Generated request, HttpResponse<String> answer) {
        int status = answer.statusCode();
        String type = answer.headers().firstValue("Content-Type").orElse("");
        if (status >= 500) {
            return "a fault of the server";
        }
        // Other answers name the classes of beans and of failures, as they should
        for (String inside : status >= 400 ? INSIDE : List.<String>of()) {
            if (answer.body().contains(inside)) {
                return "shows '" + inside + "'";
            }
        }
        // The server itself answers an address that it cannot decode, and one of the files that it never shows
        boolean isOfServer = request.operation().isEmpty()
                && (status == 400 || request.request().uri().getPath().contains("WEB-INF"));
        if (status >= 400 && !isOfServer && !type.startsWith(PROBLEM)) {
            return "a refusal of the type " + type;
        }
        return request.operation().isEmpty()
                ? (OF_NO_OPERATION.contains(status) ? "" : "a status of an operation")
                : undeclared(request.operation(), status, type, answer.body());
    }

    private String undeclared(String operation, int status, String type, String body) {
        JsonValue found = operations.get(operation).getJsonObject("responses").get(Integer.toString(status));
        if (found == null) {
            return "the status is not declared";
        }
        JsonObject content = resolve(found).getJsonObject("content");
        if (content == null) {
            return body.isEmpty() ? "" : "a body is not declared";
        }
        String plain = type.split(";", 2)[0].strip();
        if (!content.containsKey(plain)) {
            return "the type " + plain + " is not declared";
        }
        JsonObject schema = content.getJsonObject(plain).getJsonObject("schema");
        return plain.endsWith("json") && schema != null ? new Schema(this, schema).faultIn(Rest.parse(body)) : "";
    }
}
