package org.tasktube.console.json;

import jakarta.json.Json;
import jakarta.json.JsonConfig;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonReaderFactory;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.stream.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.tasktube.admin.DurationText;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The body of a request: one JSON object. Numbers keep all their digits. A member that the request does not know is an
 * error, so that no part of a body is ignored. Call {@link #end()} after the last member was read.
 */
public final class Body {

    /** The maximum size of a body, in bytes. */
    public static final int MAX = 2 * 1024 * 1024;

    private static final int MAX_SHOWN = 40;
    private static final String NO_OBJECT =
            "the body is no JSON object, has two members of one name, or is nested too deep";

    private final JsonObject members;
    private final Set<String> unread;

    private Body(JsonObject members) {
        this.members = members;
        this.unread = new TreeSet<>(members.keySet());
    }

    /** Reads a body. An empty one has no members. */
    public static Body read(InputStream in) {
        try {
            byte[] bytes = in.readNBytes(MAX + 1);
            if (bytes.length > MAX) {
                throw new ProblemException(Kind.TOO_LARGE, "the body has over " + MAX + " bytes; send a smaller one");
            }
            return bytes.length == 0 ? new Body(JsonValue.EMPTY_JSON_OBJECT) : parse(text(bytes));
        } catch (IOException e) {
            // The client has gone, so this is no fault of the console's
            throw wrong("the body cannot be read to its end: " + e.getMessage());
        }
    }

    private static String text(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw wrong("the body is not UTF-8");
        }
    }

    /** Of two members of one name, one would be ignored silently, so a body with these is refused. */
    private static final JsonReaderFactory READERS =
            Json.createReaderFactory(Map.of(JsonConfig.KEY_STRATEGY, JsonConfig.KeyStrategy.NONE));

    /** Reads a body from its text. */
    public static Body parse(String text) {
        JsonObject members;
        try (JsonReader reader = READERS.createReader(new StringReader(text));
                JsonParser rest = Json.createParser(new StringReader(text))) {
            members = reader.readObject();
            // The reader stops at the end of the object
            rest.next();
            rest.skipObject();
            if (rest.hasNext()) {
                throw wrong(NO_OBJECT);
            }
        } catch (RuntimeException e) {
            // The provider has an exception of its own for each way to be no JSON, and for too many levels
            throw wrong(NO_OBJECT);
        }
        return new Body(members);
    }

    /** Returns a text; empty if the member is absent or null. */
    public Optional<String> text(String name) {
        return value(name).map(value -> {
            if (value instanceof JsonString string) {
                return string.getString();
            }
            throw wrong("the member '" + name + "' takes a text");
        });
    }

    /** Returns a text that must be there. */
    public String required(String name) {
        return text(name).orElseThrow(() -> wrong("the member '" + name + "' is missing; add it as a text"));
    }

    /** Returns a duration, as PT5S or as 5s; empty if the member is absent or null. */
    public Optional<Duration> duration(String name) {
        return text(name).map(text -> {
            try {
                return DurationText.parse(text);
            } catch (DateTimeParseException | ArithmeticException e) {
                throw wrong("the member '" + name + "' is '" + shown(text)
                        + "'; it takes a duration such as PT5S, 500ms," + " 10m, 2h or 1d");
            }
        });
    }

    /** Returns a whole number; empty if the member is absent or null. */
    public OptionalInt number(String name) {
        Optional<Integer> number = value(name).map(value -> {
            try {
                return ((JsonNumber) value).bigDecimalValue().intValueExact();
            } catch (ClassCastException | ArithmeticException | NumberFormatException e) {
                throw wrong("the member '" + name + "' takes a whole number from " + Integer.MIN_VALUE + " to "
                        + Integer.MAX_VALUE);
            }
        });
        return number.map(OptionalInt::of).orElse(OptionalInt.empty());
    }

    /** Returns true or false; false if the member is absent or null. */
    public boolean flag(String name) {
        return value(name)
                .map(value -> switch (value.getValueType()) {
                    case TRUE -> true;
                    case FALSE -> false;
                    default -> throw wrong("the member '" + name + "' takes true or false");
                })
                .orElse(false);
    }

    /** Returns a constant by its name in any case; empty if the member is absent or null. */
    public <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
        return text(name).map(text -> {
            for (E constant : type.getEnumConstants()) {
                if (constant.name().equalsIgnoreCase(text)) {
                    return constant;
                }
            }
            throw wrong("the member '" + name + "' is '" + shown(text) + "'; it takes one of "
                    + java.util.Arrays.toString(type.getEnumConstants()));
        });
    }

    /** Returns a list of texts; empty if the member is absent or null. */
    public Optional<List<String>> list(String name) {
        return value(name).map(value -> {
            if (value.getValueType() != JsonValue.ValueType.ARRAY
                    || !value.asJsonArray().stream().allMatch(JsonString.class::isInstance)) {
                throw wrong("the member '" + name + "' takes an array of texts");
            }
            return value.asJsonArray().getValuesAs(JsonString.class).stream()
                    .map(JsonString::getString)
                    .toList();
        });
    }

    /** Returns texts by their names, in their order; empty if the member is absent or null. */
    public Map<String, String> texts(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        value(name).ifPresent(value -> {
            if (value.getValueType() != JsonValue.ValueType.OBJECT) {
                throw wrong("the member '" + name + "' takes an object of texts");
            }
            value.asJsonObject().forEach((key, member) -> {
                if (!(member instanceof JsonString string)) {
                    throw wrong("the member '" + name + "' has a value that is no text: '" + shown(key) + "'");
                }
                texts.put(key, string.getString());
            });
        });
        return texts;
    }

    /** Returns any value; empty if the member is absent or null. */
    public Optional<JsonValue> value(String name) {
        unread.remove(name);
        return Optional.ofNullable(members.get(name)).filter(value -> value.getValueType() != JsonValue.ValueType.NULL);
    }

    /** Returns whether a member is there and null. */
    public boolean isNull(String name) {
        return JsonValue.NULL.equals(members.get(name));
    }

    /** Fails if the body has a member that was not read. */
    public void end() {
        if (!unread.isEmpty()) {
            throw wrong("the member '" + shown(unread.iterator().next()) + "' is not known here; leave it out");
        }
    }

    private static String shown(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }

    private static ProblemException wrong(String detail) {
        return new ProblemException(Kind.BODY, detail);
    }
}
