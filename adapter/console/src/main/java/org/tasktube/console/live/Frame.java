package org.tasktube.console.live;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * The present content of one kind of event.
 *
 * @param event the name of the event
 * @param key the content without its times and rows; the event is sent again if the key or a row's key differs
 * @param data the JSON of the event: an object, if the event has rows
 * @param rows the tubes by their names; a client gets those that have changed, as {@code tubes}, and the names of those
 *     that have gone, as {@code gone}. With {@code whole}, it gets all: it has got no event before
 */
public record Frame(String event, String key, String data, Map<String, Row> rows) {

    /**
     * A row.
     *
     * @param key the row without its times
     */
    public record Row(String key, String data) {

        private boolean hasKeyOf(Row other) {
            return other != null && key.equals(other.key);
        }
    }

    /** An event without rows. */
    public Frame(String event, String key, String data) {
        this(event, key, data, Map.of());
    }

    /** Returns whether a client that has got that frame last, or none, lacks nothing. */
    boolean isSeenIn(Frame last) {
        return last != null
                && key.equals(last.key)
                && changed(last).isEmpty()
                && gone(last).isEmpty();
    }

    /**
     * Returns the frame for a client that has got another one last, or none. Each tube of a server in one event per
     * second would be megabytes, as soon as one task moves.
     */
    Frame since(Frame last) {
        if (rows.isEmpty() && (last == null || last.rows.isEmpty())) {
            return this;
        }
        String changed = (last == null ? rows : changed(last))
                .values().stream().map(Row::data).collect(Collectors.joining(","));
        String gone = last == null
                ? ""
                : gone(last).keySet().stream().map(name -> '"' + name + '"').collect(Collectors.joining(","));
        String head = data.substring(0, data.lastIndexOf('}'));
        return new Frame(
                event,
                key,
                head + ",\"tubes\":[" + changed + "],\"gone\":[" + gone + "],\"whole\":" + (last == null) + "}");
    }

    private Map<String, Row> changed(Frame last) {
        return rows.entrySet().stream()
                .filter(row -> !row.getValue().hasKeyOf(last.rows.get(row.getKey())))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private Map<String, Row> gone(Frame last) {
        return last.rows.entrySet().stream()
                .filter(row -> !rows.containsKey(row.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
