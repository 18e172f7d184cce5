package org.tasktube.itest.beans;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Lines that beans leave for tests, by key; for the life of one deployment. */
final class Notes {

    private static final Map<String, List<String>> NOTES = new ConcurrentHashMap<>();

    private Notes() {}

    static void add(String key, String line) {
        NOTES.computeIfAbsent(key, k -> new CopyOnWriteArrayList<>()).add(line);
    }

    /** The lines of a key in the order of their adding, one per line. */
    static String of(String key) {
        return String.join("\n", NOTES.getOrDefault(key, List.of()));
    }
}
