package org.tasktube.store.sql;

import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.spi.JsonProvider;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tasktube.StoreException;

/** The column {@code headers}: a JSON object with a text per header, in the order of put; null for none. */
final class HeadersJson {

    private HeadersJson() {}

    static String write(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return null;
        }
        JsonObjectBuilder object = Provider.OF_SERVER.createObjectBuilder();
        headers.forEach(object::add);
        return object.build().toString();
    }

    static Map<String, String> read(String json) {
        if (json == null) {
            return Map.of();
        }
        try (JsonReader reader = Provider.OF_SERVER.createReader(new StringReader(json))) {
            JsonObject object = reader.readObject();
            Map<String, String> headers = new LinkedHashMap<>();
            object.keySet().forEach(name -> headers.put(name, object.getString(name)));
            return headers;
        } catch (JsonException | ClassCastException e) {
            throw new StoreException(
                    "the column headers of a task is not a JSON object of texts: " + e.getMessage()
                            + "; another program has written it, so set it to null",
                    e);
        }
    }

    /** Returns the server's provider of JSON Processing, even if the calling application has one of its own. */
    static JsonProvider provider() {
        Thread thread = Thread.currentThread();
        ClassLoader callers = thread.getContextClassLoader();
        thread.setContextClassLoader(HeadersJson.class.getClassLoader());
        try {
            return JsonProvider.provider();
        } finally {
            thread.setContextClassLoader(callers);
        }
    }

    /** Loaded at the first headers. A search per task would cost more than the reading. */
    private static final class Provider {

        static final JsonProvider OF_SERVER = provider();

        private Provider() {}
    }
}
