package org.tasktube.console.problem;

import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import java.util.OptionalInt;

/**
 * A problem as RFC 9457 has it.
 *
 * @param kind its status, title and type
 * @param detail the fault and the next step
 * @param instance the path of the request
 * @param position the index of the wrong character in a filter, from 0; empty for other problems
 */
public record Problem(Kind kind, String detail, String instance, OptionalInt position) {

    /** The content type of problems. */
    public static final String TYPE = "application/problem+json";

    public static Problem of(Kind kind, String detail, String instance) {
        return new Problem(kind, detail, instance, OptionalInt.empty());
    }

    /** Returns the problem as JSON. */
    public String json() {
        JsonObjectBuilder json = Json.createObjectBuilder()
                .add("type", kind.type())
                .add("title", kind.title())
                .add("status", kind.status())
                .add("detail", detail)
                .add("instance", instance);
        position.ifPresent(index -> json.add("position", index));
        return json.build().toString();
    }
}
