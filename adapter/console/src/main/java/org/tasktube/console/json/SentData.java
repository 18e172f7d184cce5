package org.tasktube.console.json;

import jakarta.json.Json;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.stream.JsonParser;
import java.io.StringReader;
import java.util.Base64;
import java.util.Optional;
import org.tasktube.TaskData;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The data of a task in a body: {@code data} is text, or any JSON; {@code base64} is bytes. {@code contentType} is
 * text/plain, application/json or application/octet-stream if the body has none. A text of type application/json must
 * be JSON, and keeps each character.
 */
public final class SentData {

    private SentData() {}

    /** Returns the data of a body; empty if it has none. */
    public static Optional<TaskData> in(Body body) {
        Optional<String> type = body.text("contentType");
        Optional<JsonValue> data = body.value("data");
        Optional<String> base64 = body.text("base64");
        if (data.isPresent() && base64.isPresent()) {
            throw wrong("the body has both 'data' and 'base64'; leave one out");
        }
        if (base64.isPresent()) {
            return Optional.of(TaskData.of(type.orElse(TaskData.OCTETS), bytes(base64.get())));
        }
        if (data.isEmpty() && type.isPresent()) {
            throw wrong("the body has a 'contentType' without 'data'; add the data, or leave the type out");
        }
        return data.map(value -> of(type, value));
    }

    private static byte[] bytes(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw wrong("the member 'base64' is no base64");
        }
    }

    private static TaskData of(Optional<String> type, JsonValue value) {
        if (value instanceof JsonString string) {
            return ofText(type.orElse(TaskData.TEXT), string.getString());
        }
        if (type.filter(named -> !named.equals(TaskData.JSON)).isPresent()) {
            throw wrong("'data' of another type than " + TaskData.JSON + " takes a text");
        }
        return TaskData.of(TaskData.JSON, value.toString().getBytes(UTF_8));
    }

    private static TaskData ofText(String type, String text) {
        if (!UTF_8.newEncoder().canEncode(text)) {
            throw wrong("'data' has half of a surrogate pair, which UTF-8 cannot write; leave it out");
        }
        if (type.equals(TaskData.JSON) && !isJson(text)) {
            throw wrong("'data' is no " + TaskData.JSON + "; correct it, or send it as " + TaskData.TEXT);
        }
        return TaskData.of(type, text.getBytes(UTF_8));
    }

    private static boolean isJson(String text) {
        try (JsonParser parser = Json.createParser(new StringReader(text))) {
            boolean some = false;
            while (parser.hasNext()) {
                parser.next();
                some = true;
            }
            return some;
        } catch (RuntimeException e) {
            // The provider has an exception of its own for each way to be no JSON, and for too many levels
            return false;
        }
    }

    private static ProblemException wrong(String detail) {
        return new ProblemException(Kind.BODY, detail);
    }
}
