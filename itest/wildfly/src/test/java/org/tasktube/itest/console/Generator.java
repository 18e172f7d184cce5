package org.tasktube.itest.console;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.StringJoiner;
import org.tasktube.itest.kit.ConsoleUser;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

/** Makes requests from the document by chance. The same random numbers make the same requests. */
final class Generator {

    /** The tubes that exist when the requests begin. */
    static final List<String> TUBES = List.of("gen", "sub");

    private static final List<String> RIGHTS = List.of("VIEW", "OPERATE", "ADMIN");
    private static final List<String> NO_PATHS = List.of(
            "",
            "nosuch",
            "tubes/gen/nosuch",
            "tasks/gen",
            "tubes//tasks",
            "tasks/gen/1/2/3",
            "..%2fmetrics",
            "%2e%2e/%2e%2e/WEB-INF/web.xml",
            "tubes/..%2f..%2fWEB-INF%2fweb.xml",
            "tubes;a=b/nosuch",
            "%00",
            "%c0%ae%c0%ae/",
            "tubes/gen%00",
            "openapi.json/x",
            "TUBES",
            "session/x");
    private static final List<String> OTHER_TYPES = List.of(
            "text/plain",
            "application/xml",
            "application/x-www-form-urlencoded",
            "multipart/form-data;boundary=x",
            "application/jsonx",
            "text/json",
            "*/*",
            "application/json/x",
            "",
            "application/octet-stream");
    private static final List<String> BROKEN = List.of(
            "{",
            "[]",
            "\"text\"",
            "null",
            "{\"reason\":}",
            "{\"reason\":\"a\"}}",
            "{\"reason\":\"a\",\"reason\":\"b\"}",
            "{'reason':'a'}",
            "{\"reason\":\"\u0001\"}",
            "{\"reason\":1e999999999}",
            "\ufeff\ufeff{}",
            "{\"\":1}",
            "[[[[",
            "tru",
            "{\"reason\":" + "[".repeat(5_000),
            "{\"pri\":" + "9".repeat(100_000) + "}",
            "{\"no-such-member\":1}",
            "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>");

    private final ConsoleServer console;
    private final OpenApi openApi;
    private final Random random;
    private final Values values;
    private final List<String> ids;

    /** The operations whose answers end: all but the stream of events. */
    private final List<String> answering;

    Generator(ConsoleServer console, OpenApi openApi, Random random) {
        this.console = console;
        this.openApi = openApi;
        this.random = random;
        this.answering = openApi.operations().stream()
                .filter(operation -> !operation.equals("GET /events"))
                .toList();
        this.values = new Values(random);
        this.ids = List.of(console.read("SELECT coalesce(string_agg(id::text, ','), '1') FROM tasktube_task")
                .split(","));
    }

    /**
     * Returns a request that may do what it asks for, or may not. No request begins what goes on by itself: a take,
     * which the end of its session undoes, and an act on many tasks.
     */
    Generated any() {
        String operation = pick(answering.stream()
                .filter(each -> !each.equals("POST /operations") && !each.equals("POST /tubes/{tube}/take"))
                .toList());
        Optional<ConsoleUser> user = random.nextInt(10) == 0 ? anyone() : Optional.of(console.admin());
        return send(
                operation,
                operation,
                path(operation),
                user,
                "application/json",
                body(operation).getBytes(UTF_8));
    }

    /** Returns a request that must be refused, or one that only reads. */
    Generated refused() {
        String operation = pick(answering);
        Optional<ConsoleUser> admin = Optional.of(console.admin());
        boolean isChange = !operation.startsWith("GET ");
        boolean hasBody = isChange && !openApi.body(operation).isEmpty();
        return switch (random.nextInt(hasBody ? 8 : isChange ? 4 : 3)) {
            case 0 -> noPath();
            case 1 -> noMethod(operation);
            case 2 ->
                isChange
                        ? send(
                                operation,
                                operation,
                                path(operation),
                                without(openApi.right(operation)),
                                json(),
                                valid(operation))
                        : send(operation, operation, path(operation), anyone(), json(), new byte[0]);
            case 3 -> fromElsewhere(operation);
            case 4 -> send(operation, operation, path(operation), admin, pick(OTHER_TYPES), valid(operation));
            case 5 -> send(operation, operation, path(operation), admin, json(), encoded(operation));
            default ->
                send(
                        operation,
                        operation,
                        path(operation),
                        admin,
                        json(),
                        pick(BROKEN).getBytes(UTF_8));
        };
    }

    private static String json() {
        return "application/json";
    }

    private byte[] valid(String operation) {
        return body(operation).getBytes(UTF_8);
    }

    /** A body that is no JSON in UTF-8, or a larger one than any call takes. */
    private byte[] encoded(String operation) {
        return switch (random.nextInt(40)) {
            case 0 -> ("{\"reason\":\"" + "x".repeat(3 * 1024 * 1024) + "\"}").getBytes(UTF_8);
            case 1, 2, 3, 4, 5 -> new byte[] {'{', '"', (byte) 0xff, (byte) 0xfe, '"', ':', '1', '}'};
            case 6, 7, 8, 9 -> new byte[] {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0};
            default -> ("\u0000" + body(operation) + "x").getBytes(UTF_16);
        };
    }

    private Generated noPath() {
        String method = pick(List.of("GET", "POST", "DELETE", "PUT"));
        return send("", method + " " + "/", pick(NO_PATHS), Optional.of(console.admin()), json(), "{}".getBytes(UTF_8));
    }

    private Generated noMethod(String operation) {
        String path = operation.substring(operation.indexOf(' ') + 1);
        String method = pick(List.of("PUT", "PATCH", "PROPFIND", "LOCK", "XYZ"));
        boolean declared = openApi.operations().contains(method + " " + path);
        return declared
                ? noPath()
                : send(
                        "",
                        method + " " + path,
                        path(operation),
                        Optional.of(console.admin()),
                        json(),
                        "{}".getBytes(UTF_8));
    }

    private Generated fromElsewhere(String operation) {
        HttpRequest.Builder request = request(operation, path(operation), json(), valid(operation))
                .header("Authorization", Rest.authorization(console.admin()))
                .header(
                        random.nextBoolean() ? "Origin" : "Sec-Fetch-Site",
                        pick(List.of(
                                "http://evil.example", "null", "cross-site", "same-site", "", "http://[", "\u00ff")));
        return new Generated(operation, request.build(), operation + " from elsewhere");
    }

    private Optional<ConsoleUser> anyone() {
        return pick(List.of(
                Optional.empty(),
                Optional.of(console.guest()),
                Optional.of(console.viewer()),
                Optional.of(console.operator()),
                Optional.of(console.admin()),
                Optional.of(new ConsoleUser("admin", "wrong")),
                Optional.of(new ConsoleUser(values.text(), values.text()))));
    }

    /** Somebody who lacks a right. */
    private Optional<ConsoleUser> without(String right) {
        List<Optional<ConsoleUser>> lesser = List.of(
                Optional.empty(),
                Optional.of(console.guest()),
                Optional.of(console.viewer()),
                Optional.of(console.operator()));
        return pick(lesser.subList(0, 2 + RIGHTS.indexOf(right)));
    }

    private Generated send(
            String operation, String methodAndPath, String path, Optional<ConsoleUser> user, String type, byte[] body) {
        HttpRequest.Builder request = request(methodAndPath, path, type, body);
        user.ifPresent(known -> request.header("Authorization", Rest.authorization(known)));
        String name = user.map(ConsoleUser::name).orElse("anonymous");
        String shown = new String(body, 0, Math.min(body.length, 300), UTF_8);
        return new Generated(
                operation,
                request.build(),
                methodAndPath + " as " + name + " at " + path + " of " + type + " " + shown);
    }

    private HttpRequest.Builder request(String methodAndPath, String path, String type, byte[] body) {
        String method = methodAndPath.substring(0, methodAndPath.indexOf(' '));
        URI address = URI.create(console.page("api/v1/") + path);
        boolean hasBody = !method.equals("GET") && !method.equals("DELETE");
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .timeout(Duration.ofMinutes(1))
                .method(method, hasBody ? BodyPublishers.ofByteArray(body) : BodyPublishers.noBody());
        if (hasBody && !type.isEmpty()) {
            request.header("Content-Type", type);
        }
        return request;
    }

    private String path(String operation) {
        String path = operation.substring(operation.indexOf(' ') + 2);
        StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
        for (JsonObject parameter : openApi.parameters(operation)) {
            String name = parameter.getString("name");
            if (parameter.getString("in").equals("path")) {
                path = path.replace("{" + name + "}", encoded(inPath(name, parameter.getJsonObject("schema")), "%20"));
            } else if (random.nextBoolean()) {
                query.add(name + "=" + encoded(inQuery(name, parameter.getJsonObject("schema")), "+"));
            }
        }
        return path + query;
    }

    private static String encoded(String value, String blank) {
        return URLEncoder.encode(value, UTF_8).replace("+", blank);
    }

    private String inPath(String name, JsonObject schema) {
        if (random.nextInt(10) == 0) {
            String any = values.text();
            // An empty part, or one of dots, is another address
            return any.isEmpty() || any.matches("[.]+") ? "x" : any;
        }
        return switch (name) {
            case "tube" -> pick(TUBES);
            case "id" -> existingId();
            default -> valueOf(schema);
        };
    }

    private String existingId() {
        return random.nextInt(10) == 0 ? Long.toString(random.nextLong()) : pick(ids);
    }

    private String inQuery(String name, JsonObject schema) {
        if (name.equals("filter")) {
            return values.filter();
        }
        return random.nextInt(4) == 0 ? values.text() : valueOf(schema);
    }

    private String valueOf(JsonObject schema) {
        String json = values.fitting(schema);
        return json.startsWith("\"") ? json.substring(1, json.length() - 1) : json;
    }

    /** An object with some of the members of the schema: most fit, some do not. */
    private String body(String operation) {
        JsonObject schema = openApi.body(operation);
        JsonObject properties = schema.getJsonObject("properties");
        if (properties == null) {
            return "{}";
        }
        StringJoiner members = new StringJoiner(",", "{", "}");
        properties.forEach((name, member) -> {
            boolean required = schema.get("required") instanceof JsonArray names
                    && names.stream()
                            .anyMatch(other -> ((JsonString) other).getString().equals(name));
            if (required ? random.nextInt(20) > 0 : random.nextInt(4) == 0) {
                boolean fits = random.nextInt(12) > 0;
                JsonObject type = openApi.resolve(member);
                members.add("\"" + name + "\":" + (fits ? values.member(name, type) : values.json()));
            }
        });
        return members.toString();
    }

    private <T> T pick(List<? extends T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
