package org.tasktube.itest.console;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.Map;

/** A schema of the document, as far as its answers use it. */
record Schema(OpenApi openApi, JsonObject schema) {

    /** Returns how a value differs, or an empty text. */
    String faultIn(JsonValue value) {
        return fault("answer", schema, value);
    }

    private String fault(String place, JsonObject unresolved, JsonValue value) {
        JsonObject wanted = openApi.resolve(unresolved);
        if (value == JsonValue.NULL && wanted.getBoolean("nullable", false)) {
            return "";
        }
        if (wanted.get("enum") instanceof JsonArray allowed && !allowed.contains(value)) {
            return place + " is not one of " + allowed;
        }
        return switch (wanted.getString("type", "any")) {
            case "object" -> object(place, wanted, value);
            case "array" -> array(place, wanted, value);
            case "string" -> value instanceof JsonString ? "" : place + " is no text";
            case "integer" -> value instanceof JsonNumber number && number.isIntegral() ? "" : place + " is no number";
            case "boolean" -> value == JsonValue.TRUE || value == JsonValue.FALSE ? "" : place + " is no boolean";
            default -> "";
        };
    }

    private String array(String place, JsonObject wanted, JsonValue value) {
        if (!(value instanceof JsonArray array)) {
            return place + " is no array";
        }
        return array.stream()
                .map(item -> fault(place + "[]", wanted.getJsonObject("items"), item))
                .filter(fault -> !fault.isEmpty())
                .findFirst()
                .orElse("");
    }

    private String object(String place, JsonObject wanted, JsonValue value) {
        if (!(value instanceof JsonObject object)) {
            return place + " is no object";
        }
        for (Map.Entry<String, JsonValue> member : object.entrySet()) {
            String fault = member(place + "." + member.getKey(), wanted, member.getKey(), member.getValue());
            if (!fault.isEmpty()) {
                return fault;
            }
        }
        return "";
    }

    private String member(String place, JsonObject wanted, String name, JsonValue value) {
        JsonObject properties = wanted.getJsonObject("properties");
        if (properties != null && properties.containsKey(name)) {
            return fault(place, properties.getJsonObject(name), value);
        }
        JsonValue others = wanted.get("additionalProperties");
        if (others == JsonValue.FALSE) {
            return place + " is not declared";
        }
        return others instanceof JsonObject schemaOfOthers ? fault(place, schemaOfOthers, value) : "";
    }
}
