package org.tasktube.model;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.tasktube.TaskState;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.DatabaseTestStore;
import org.tasktube.testing.TestDatabase;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The store in a database. */
final class DatabaseEnvironment extends Environment {

    private final DataSource database;

    private final String table;

    DatabaseEnvironment(TestDatabase kind, boolean temporary) {
        this(new DatabaseTestStore(kind, temporary), temporary ? "tasktube_temporary" : "tasktube_task");
    }

    private DatabaseEnvironment(DatabaseTestStore store, String table) {
        super(store);
        this.table = table;
        database = store.dataSource();
        // What is compared after each step is found by no other index
        store.execute("CREATE INDEX model_tube ON " + table + " (tube_id)");
    }

    @Override
    boolean hasExactCapacity() {
        return false;
    }

    @Override
    Map<Long, Version> contents(List<StoredTube> tubes) throws SQLException {
        Map<Long, Version> contents = new HashMap<>();
        try (Connection connection = database.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT * FROM " + table + " WHERE tube_id IN (?, ?)")) {
            statement.setInt(1, tubes.get(0).id());
            statement.setInt(2, tubes.get(1).id());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    contents.put(row.getLong("id"), version(row));
                }
            }
        }
        return contents;
    }

    private static Version version(ResultSet row) throws SQLException {
        Version version = new Version();
        version.state = TaskState.of(row.getString("state").charAt(0));
        version.pri = row.getInt("pri");
        version.data = new String(row.getBytes("data"), UTF_8);
        version.headers = headers(row.getString("headers"));
        version.utube = row.getString("utube");
        version.key = row.getString("live_key");
        version.created = time(row, "created_at");
        version.event = time(row, "event_at");
        version.expires = time(row, "expires_at");
        long ttr = row.getLong("ttr_ms");
        version.ttr = row.wasNull() ? null : Long.valueOf(ttr);
        version.session = Environment.actor(row.getObject("session", UUID.class));
        version.takenAt = time(row, "taken_at");
        version.attempts = row.getInt("attempts");
        version.taken = row.getInt("taken_count");
        version.buried = row.getInt("buried_count");
        version.failure = row.getString("error_message");
        version.result = result(row);
        return version;
    }

    private static Map<String, String> headers(String column) {
        if (column == null) {
            return Map.of();
        }
        try (JsonReader reader = Json.createReader(new StringReader(column))) {
            JsonObject object = reader.readObject();
            Map<String, String> headers = new LinkedHashMap<>();
            object.keySet().forEach(name -> headers.put(name, object.getString(name)));
            return headers;
        }
    }

    private static Long time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : Environment.millis(time.toInstant());
    }

    private static String result(ResultSet row) throws SQLException {
        String outcome = row.getString("outcome");
        if (outcome == null) {
            return null;
        }
        return (outcome.equals("c") ? "COMPLETED" : "REJECTED") + ":" + new String(row.getBytes("result"), UTF_8) + ":"
                + row.getLong("result_ttl_ms");
    }
}
